// The server over real sockets, friendly and not.

#include "serve/server.h"

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

using namespace std::chrono_literals;

/// A connection to 127.0.0.1 (or another address of this machine).
class Connection {
 public:
  explicit Connection(int port, const char* address = "127.0.0.1") : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{8, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &to.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  void end_of_sending() { ::shutdown(socket_, SHUT_WR); }
  /// Everything until the server closes.
  std::string rest() {
    std::string all;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;) all.append(buffer, n);
    return all;
  }
  /// One answer: head and as many bytes as it announces.
  std::string answer() {
    std::string all;
    char c = 0;
    while (all.find("\r\n\r\n") == std::string::npos && ::recv(socket_, &c, 1, 0) == 1) all += c;
    const auto at = all.find("Content-Length: ");
    std::size_t length = at == std::string::npos ? 0 : std::stoul(all.substr(at + 16));
    for (; length > 0 && ::recv(socket_, &c, 1, 0) == 1; --length) all += c;
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { gallery.add("noise", Role::cube, testing::random_cube(3, 20, 30, 1)); }

  std::string host() const { return "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"; }
  std::string request(const std::string& what, const std::string& lines = "") const {
    return "GET /" + site.token() + "/" + what + " HTTP/1.1\r\n" + host() + lines + "\r\n";
  }
  std::string talk(const std::string& bytes) const {
    Connection connection(server.port());
    connection.send(bytes);
    connection.end_of_sending();
    return connection.rest();
  }

  Gallery gallery;
  Site site{gallery, random_token()};
  Server server{site, 0};
};

TEST_F(ServerTest, AnswersWithTheHeadersThatKeepOthersOut) {
  const std::string answer = talk(request("about.json"));
  EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 200");
  for (const char* header : {"Content-Security-Policy: default-src 'none';", "X-Content-Type-Options: nosniff",
                             "Cache-Control: no-store", "Referrer-Policy: no-referrer",
                             "Cross-Origin-Resource-Policy: same-origin", "Content-Type: application/json"}) {
    testing::expect_contains(answer, header);
  }
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_EQ(answer.find("Set-Cookie"), std::string::npos);
  testing::expect_contains(answer, "\"name\":\"noise\"");
}

TEST_F(ServerTest, TheAddressIsThatOfThePage) {
  EXPECT_EQ(server.address(), "http://127.0.0.1:" + std::to_string(server.port()) + "/" + site.token() + "/");
  testing::expect_contains(talk(request("")), "<title>Snapcube");
}

TEST_F(ServerTest, TilesHaveTheirBytes) {
  const std::string answer = talk(request("tile?layer=band-0-2&level=0&x=0&y=0"));
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 2u * 20 * 30);
}

TEST_F(ServerTest, ConnectionsAreKept) {
  Connection connection(server.port());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(connection.send(request("about.json"))) << i;
    EXPECT_EQ(connection.answer().substr(0, 12), "HTTP/1.1 200") << i;
  }
  connection.send(request("about.json") + request("nothing") + request("about.json", "Connection: close\r\n"));
  EXPECT_EQ(connection.answer().substr(0, 12), "HTTP/1.1 200");
  EXPECT_EQ(connection.answer().substr(0, 12), "HTTP/1.1 404") << "three at once, one after the other";
  EXPECT_EQ(connection.rest().substr(0, 12), "HTTP/1.1 200");
}

TEST_F(ServerTest, OthersAreRefused) {
  const auto status = [&](const std::string& bytes) { return talk(bytes).substr(9, 3); };
  EXPECT_EQ(status("GET / HTTP/1.1\r\n" + host() + "\r\n"), "403");
  EXPECT_EQ(status("GET /" + std::string(32, '0') + "/ HTTP/1.1\r\n" + host() + "\r\n"), "403");
  EXPECT_EQ(status("GET /" + site.token() + "/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403");
  EXPECT_EQ(status("GET /../../etc/passwd HTTP/1.1\r\n" + host() + "\r\n"), "403");
  EXPECT_EQ(status("OPTIONS /" + site.token() + "/ HTTP/1.1\r\n" + host() + "\r\n"), "405");
  EXPECT_EQ(status("POST /" + site.token() + "/reconstruct HTTP/1.1\r\n" + host() + "Content-Length: 5\r\n\r\nhello"),
            "413");
  EXPECT_EQ(status(request("about.json", "X: " + std::string(20000, 'x') + "\r\n")), "431");
  EXPECT_EQ(status("nonsense\r\n\r\n"), "400");
  EXPECT_EQ(talk(std::string(100, '\0')), "");
  EXPECT_EQ(talk("\x16\x03\x01\x02"), "") << "TLS";
  EXPECT_EQ(status(request("about.json")), "200") << "and still there";
}

TEST_F(ServerTest, ListensOnLoopbackOnly) {
  // 127.0.0.2 is loopback as well, but not the address it is bound to.
  EXPECT_TRUE(Connection(server.port()).connected());
  EXPECT_FALSE(Connection(server.port(), "127.0.0.2").connected());
}

TEST_F(ServerTest, APortIsNotShared) {
  Site other(gallery, random_token());
  const std::string error = testing::error_of<Error>([&] { const Server second(other, server.port()); });
  testing::expect_contains(error, std::to_string(server.port()));
}

TEST_F(ServerTest, SlowOnesDoNotHoldOthersUp) {
  std::vector<std::unique_ptr<Connection>> slow;
  for (int i = 0; i < 6; ++i) {
    slow.push_back(std::make_unique<Connection>(server.port()));
    slow.back()->send("GET /");
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(talk(request("about.json")).substr(9, 3), "200");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
  EXPECT_EQ(slow.front()->rest(), "") << "given up after some seconds, not answered";
}

TEST(Server, StopsWithConnectionsOpen) {
  Gallery gallery;
  gallery.add("x", Role::cube, Cube(1, 1, 1));
  Site site(gallery, "key");
  std::unique_ptr<Connection> idle;
  const auto start = std::chrono::steady_clock::now();
  {
    const Server server(site, 0);
    idle = std::make_unique<Connection>(server.port());
    idle->send("GET /ke");
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
  EXPECT_EQ(idle->rest(), "");
}

TEST(Server, ExchangesWithoutSockets) {
  Gallery gallery;
  gallery.add("x", Role::cube, Cube(1, 1, 1));
  Site site(gallery, "key");
  const auto status = [&](const std::string& raw) { return exchange(site, raw, 80).substr(9, 3); };
  EXPECT_EQ(status("GET /key/about.json HTTP/1.1\r\nHost: localhost:80\r\n\r\n"), "200");
  EXPECT_EQ(status("GET /key/about.json HTTP/1.0\r\nHost: localhost:80\r\nRange: bytes=0-1\r\n\r\n"), "200");
  EXPECT_EQ(status("HEAD /key/about.json HTTP/1.1\r\nHost: localhost:80\r\n\r\n"), "200");
  EXPECT_EQ(status("GET /key/about.json HTTP/1.1\r\nHost: localhost\r\n\r\n"), "403");
  EXPECT_EQ(status("GET /key/a"), "431");
}

}  // namespace
}  // namespace snapcube
