// Commands for looking: view, report, inspect --show.

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::file_content;
using testing::Result;

class Look : public ::testing::Test {
 protected:
  Look() {
    for (const char* name : {"truth", "a", "b"}) std::filesystem::create_directory(folder / name);
    for (const char* scene : {"chart", "texture"}) {
      const Cube truth = make_scene(scene, {.height = 40, .width = 48});
      write(truth, folder / (std::string("truth/") + scene + ".mat"));
      Cube cube = truth;
      for (float& v : cube.values()) v = 0.9f * v;
      write(cube, folder / (std::string("a/") + scene + ".npy"));
      for (float& v : cube.values()) v = 0.9f * v;
      write(cube, folder / (std::string("b/") + scene + ".h5"));
    }
  }
  testing::TemporaryFolder folder;
};

TEST_F(Look, ReportHasTheScoresOfEvaluate) {
  const Result done =
      testing::snapcube("report -q " + (folder / "a") + " " + (folder / "truth") + " Other=" + (folder / "b") + " -o " +
                        (folder / "r.html") + " --csv " + (folder / "r.csv") + " --latex " + (folder / "r.tex"));
  ASSERT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(done.output, (folder / "r.html") + "\n");
  const Result check = testing::snapcube("evaluate -q --json " + (folder / "a") + " " + (folder / "truth"));
  const auto scores = nlohmann::json::parse(check.output);
  const std::string csv = file_content(folder / "r.csv");
  const auto line = csv.substr(csv.find("a,mean,"));
  EXPECT_NEAR(std::stod(line.substr(7)), scores["psnr"].get<double>(), 1e-3);
  const std::string html = file_content(folder / "r.html");
  for (const char* words : {"<h2>chart</h2>", "<h2>texture</h2>", "<b>a</b>", "<b>Other</b>", "corr 1.0000"}) {
    EXPECT_TRUE(contains(html, words)) << words;
  }
  EXPECT_TRUE(contains(file_content(folder / "r.tex"), "Other & "));
}

TEST_F(Look, ReportTakesTimesRegionsAndBands) {
  testing::write_file(folder / "t.json",
                      R"({"method":"x","results":[{"seconds":0.5},{"seconds":1.5},{"error":"no"}]})");
  const Result done =
      testing::snapcube("report -q CST-S=" + (folder / "a/chart.npy") + " " + (folder / "truth/chart.mat") + " -o " +
                        (folder / "r.html") + " --times CST-S=" + (folder / "t.json") +
                        " --region 1,2,3,4 --region 5,6,7,8 --detail 0,0,9,9 --bands 500,600 --title '1 < 2'");
  ASSERT_EQ(done.code, 0) << done.output;
  const std::string html = file_content(folder / "r.html");
  for (const char* words : {"<td>1.00</td>", "Params (M)", "Region a: 3×4 pixels at (2, 1)",
                            "Region b: 7×8 pixels at (6, 5)", "498.0 nm", "<h1>1 &lt; 2</h1>"}) {
    EXPECT_TRUE(contains(html, words)) << words;
  }
}

TEST_F(Look, ReportErrorsSayWhat) {
  const std::string base =
      "report -q " + (folder / "a") + " " + (folder / "truth") + " -o " + (folder / "r.html") + " ";
  write(Cube(28, 8, 8, 0.5f), folder / "b/chart.h5");
  testing::write_file(folder / "t.json", R"({"results":[{"seconds":1}]})");
  const std::pair<std::string, const char*> cases[] = {
      {"Other=" + (folder / "b"), "chart"},
      {(folder / "nothing"), "nothing"},
      {"--region 1,2,300,4", "inside of 40×48"},
      {"--region 1,2,3", "TOP,LEFT,HEIGHT,WIDTH"},
      {"--times Nobody=" + (folder / "t.json"), "Nobody"},
      {"--times " + (folder / "truth/chart.mat"), "results"},
      {"a2=" + (folder / "a") + " a2=" + (folder / "a"), "different names"},
  };
  for (const auto& [arguments, words] : cases) {
    const Result result = testing::snapcube(base + arguments);
    EXPECT_EQ(result.code, 2) << arguments << ": " << result.output;
    EXPECT_TRUE(contains(result.output, words)) << arguments << ": " << result.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "r.html")) << arguments;
  }
}

TEST_F(Look, InspectDrawsInTheTerminal) {
  ::setenv("COLORTERM", "truecolor", 1);
  const std::string file = folder / "truth/chart.mat";
  const Result blocks = testing::snapcube("inspect --show blocks " + file);
  EXPECT_EQ(blocks.code, 0);
  EXPECT_TRUE(contains(blocks.output, "\x1b[38;2;")) << "no terminal: blocks";
  EXPECT_TRUE(contains(blocks.output, "▀"));
  EXPECT_TRUE(contains(blocks.output, "453.5 nm"));
  EXPECT_EQ(testing::snapcube("inspect --show -q -- " + file).code, 0) << "without a word";
  const Result sixels = testing::snapcube("inspect " + file + " --show sixel");
  EXPECT_TRUE(contains(sixels.output, "\x1bP0;1q\"1;1;48;40"));
  EXPECT_EQ(testing::snapcube("inspect " + file + " --show --json").code, 2);
  EXPECT_EQ(testing::snapcube("inspect " + file + " --show pears").code, 2);
  ::unsetenv("COLORTERM");
  EXPECT_TRUE(contains(testing::snapcube("inspect --show blocks " + file).output, "\x1b[38;5;"));
}

/// What the program prints in a terminal that answers the question for its attributes with `answer`.
std::string in_terminal(const std::string& arguments, const std::string& answer) {
  int terminal = -1;
  winsize size{40, 100, 800, 640};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", (std::string(SNAPCUBE_PROGRAM) + " " + arguments).c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string output;
  std::array<char, 4096> buffer{};
  bool asked = false;
  for (ssize_t n = 0; (n = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    output.append(buffer.data(), static_cast<std::size_t>(n));
    if (!asked && contains(output, "\x1b[c")) {
      asked = true;
      EXPECT_EQ(::write(terminal, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    }
  }
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  EXPECT_TRUE(asked) << output;
  return output;
}

TEST_F(Look, InspectAsksTheTerminalWhatItKnows) {
  const std::string command = "inspect --show -- " + (folder / "truth/chart.mat");
  EXPECT_TRUE(contains(in_terminal(command, "\x1b[?62;4;22c"), "\x1bP0;1q"));
  EXPECT_TRUE(contains(in_terminal(command, "\x1b[?62;44;22c"), "▀")) << "44 is not 4";
  EXPECT_TRUE(contains(in_terminal(command, ""), "▀")) << "silent";
}

TEST_F(Look, ViewErrorsSayWhat) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "nothing"},
      {folder / "missing.mat", "missing.mat"},
      {(folder / "truth/chart.mat") + " --model gap-tv", "no measurement"},
      {(folder / "truth/chart.mat") + " --model gap-tv --measurement " + (folder / "truth/chart.mat"), "no mask"},
      {(folder / "truth/chart.mat") + " --port 0", "port"},
  };
  for (const auto& [arguments, words] : cases) {
    const Result result = testing::snapcube("view --no-open " + arguments);
    EXPECT_EQ(result.code, 2) << arguments << ": " << result.output;
    EXPECT_TRUE(contains(result.output, words)) << arguments << ": " << result.output;
  }
}

TEST_F(Look, ViewServesUntilItIsInterrupted) {
  // The shell starts it, asks once it has told its address, and ends it by Ctrl-C's signal.
  const std::string script = R"(
    )" SNAPCUBE_PROGRAM R"( view --no-open )" +
                             (folder / "truth/chart.mat") + " > " + (folder / "out") + R"( 2> /dev/null & pid=$!
    for i in $(seq 100); do grep -q http )" +
                             (folder / "out") + R"( && break; sleep 0.1; done
    kill -INT $pid; wait $pid; echo "code $?"; cat )" +
                             (folder / "out");
  const Result result = testing::run("bash -c '" + script + "'");
  EXPECT_TRUE(contains(result.output, "code 0")) << result.output;
  EXPECT_TRUE(contains(result.output, "http://127.0.0.1:")) << result.output;
}

}  // namespace
}  // namespace snapcube
