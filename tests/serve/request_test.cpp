// What a request may look like: targets and heads.

#include "serve/head.h"
#include "serve/target.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/0123abCD/tile?layer=band-0-12&level=2&x=0&y=1");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->token, "0123abCD");
  EXPECT_EQ(target->name, "tile");
  EXPECT_EQ(target->parameters.size(), 4u);
  EXPECT_EQ(target->parameters.find("layer")->second, "band-0-12");
  EXPECT_EQ(target->parameters.find("y")->second, "1");
}

TEST(Target, TheEmptyNameIsThePage) {
  const auto target = parse_target("/t/");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->name, "");
  EXPECT_TRUE(parse_target("/t/?"));
}

TEST(Target, AnythingElseIsNone) {
  for (const char* text : {"",
                           "/",
                           "//",
                           "//x",
                           "t/x",
                           "/t",
                           "/t/../etc/passwd",
                           "/t/x/y",
                           "/t/%2e%2e",
                           "/t/X",
                           "/t/x?a",
                           "/t/x?=1",
                           "/t/x?a=1&a=2",
                           "/t/x?a=%41",
                           "/t/x?a=b c",
                           "/t/x?a=1;b=2",
                           "/t/x?A=1",
                           "/t/x?a=1&&b=2",
                           "/t\\/x",
                           "/t-t/x",
                           "http://127.0.0.1/t/x",
                           "/t/x#y",
                           "/t/x?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
  EXPECT_FALSE(parse_target("/t/x?a=" + std::string(600, '1')));
  EXPECT_FALSE(parse_target(std::string("/t/x\0y", 6)));
}

constexpr int kPort = 4711;

std::string head(const std::string& lines, const std::string& first = "GET /t/ HTTP/1.1") {
  return first + "\r\nHost: 127.0.0.1:4711\r\n" + lines + "\r\n";
}

TEST(Head, KeepsOnlyWhatIsNeeded) {
  const Head judged = judge_head(
      head("Range: bytes=0-5\r\nCookie: a=b\r\nAccept-Encoding: br\r\nConnection:  close \r\nX: \xff\r\n"), kPort);
  EXPECT_EQ(judged.refusal, 0);
  EXPECT_EQ(judged.kept, "GET /t/ HTTP/1.1\r\nhost: 127.0.0.1:4711\r\nconnection: close\r\n\r\n");
}

TEST(Head, OnlyLoopbackNamesAreOurs) {
  const auto host = [](const std::string& name) {
    return judge_head("GET /t/ HTTP/1.1\r\nHost: " + name + "\r\n\r\n", kPort).refusal;
  };
  EXPECT_EQ(host("127.0.0.1:4711"), 0);
  EXPECT_EQ(host("localhost:4711"), 0);
  for (const char* name : {"evil.example:4711", "127.0.0.1", "127.0.0.1:4712", "localhost.evil.example:4711", ""}) {
    EXPECT_EQ(host(name), 403) << name;
  }
  EXPECT_EQ(judge_head("GET /t/ HTTP/1.1\r\n\r\n", kPort).refusal, 400);
  EXPECT_EQ(judge_head(head("Host: localhost:4711\r\n"), kPort).refusal, 400) << "two of them";
}

TEST(Head, BodiesAreRefused) {
  EXPECT_EQ(judge_head(head("Content-Length: 0\r\n", "POST /t/reconstruct HTTP/1.1"), kPort).refusal, 0);
  for (const char* line : {"Content-Length: 1\r\n", "Content-Length: -1\r\n", "content-length: 00\r\n",
                           "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n"}) {
    EXPECT_EQ(judge_head(head(line, "POST /t/reconstruct HTTP/1.1"), kPort).refusal, 413) << line;
  }
}

TEST(Head, OddOnesAreRefused) {
  for (const char* first : {"", "GET", "GET /", "GET  / HTTP/1.1 ", "GET / /x HTTP/1.1", "GET x HTTP/1.1",
                            "GET / HTTP/2", "GET /\x01 HTTP/1.1", " GET / HTTP/1.1"}) {
    EXPECT_EQ(judge_head(head("", first), kPort).refusal, 400) << first;
  }
  EXPECT_EQ(judge_head(head("", "PUT /t/ HTTP/1.1"), kPort).refusal, 405);
  EXPECT_EQ(judge_head(head("no colon\r\n"), kPort).refusal, 400);
  EXPECT_EQ(judge_head(head(": nameless\r\n"), kPort).refusal, 400);
  EXPECT_EQ(judge_head("GET /t/ HTTP/1.1\r\nHost: 127.0.0.1:4711\r\n", kPort).refusal, 431) << "no end";
  EXPECT_EQ(judge_head(head("X: " + std::string(9000, 'x') + "\r\n"), kPort).refusal, 431);
  std::string many;
  for (int i = 0; i < 70; ++i) many += "x: y\r\n";
  EXPECT_EQ(judge_head(head(many), kPort).refusal, 431);
}

}  // namespace
}  // namespace snapcube
