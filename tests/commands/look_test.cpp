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

TEST_F(Look, ReportShowsMeasurementsAndSparsity) {
  for (const char* name : {"shots", "maps"}) std::filesystem::create_directory(folder / name);
  write_measurement(Image(40, 102, 0.5f), folder / "shots/chart.mat");
  write_png(Picture(4, 4), folder / "maps/texture.png");
  const Result done = testing::snapcube("report -q " + (folder / "a") + " " + (folder / "truth") +
                                        " B=" + (folder / "b") + " -o " + (folder / "r.html") + " --measurements " +
                                        (folder / "shots") + " --sparsity B=" + (folder / "maps"));
  ASSERT_EQ(done.code, 0) << done.output;
  const std::string html = file_content(folder / "r.html");
  EXPECT_TRUE(contains(html, "aria-label=\"chart, measurement\""));
  EXPECT_FALSE(contains(html, "aria-label=\"texture, measurement\"")) << "there is none";
  EXPECT_TRUE(contains(html, "alt=\"texture, B, sparsity map\""));
  EXPECT_FALSE(contains(html, "alt=\"chart, B, sparsity map\"")) << "there is none";
}

TEST_F(Look, ReportWritesNamesAsText) {
  const std::string hostile = "<img src=x onerror=alert(1)>&\"";
  for (const char* name : {"t2", "p2"}) {
    std::filesystem::create_directory(folder / name);
    std::filesystem::copy_file(folder / "truth/chart.mat", (folder / name) + "/" + hostile + ".mat");
  }
  const Result done = testing::snapcube("report -q '<b>_%=" + (folder / "p2") + "' " + (folder / "t2") + " -o " +
                                        (folder / "r.html") + " --latex " + (folder / "r.tex"));
  ASSERT_EQ(done.code, 0) << done.output;
  const std::string html = file_content(folder / "r.html");
  EXPECT_TRUE(contains(html, "<h2>&lt;img src=x onerror=alert(1)&gt;&amp;&quot;</h2>"));
  EXPECT_TRUE(contains(html, "&lt;b&gt;_%"));
  EXPECT_FALSE(contains(html, "<img src=x"));
  EXPECT_TRUE(contains(file_content(folder / "r.tex"), "\\_\\%"));
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

TEST_F(Look, InspectLabelsNoAxisWithWavelengthsThatItCallsUnknown) {
  Cube cube = make_scene("chart", {.height = 40, .width = 48});
  cube.wavelengths.clear();
  write(cube, folder / "unknown.npy");
  const Result result = testing::snapcube("inspect --show blocks " + (folder / "unknown.npy"));
  EXPECT_TRUE(contains(result.output, "wavelengths  unknown")) << result.output;
  EXPECT_FALSE(contains(result.output, "nm")) << result.output;
  EXPECT_TRUE(contains(result.output, "band 1  ")) << result.output;
  EXPECT_TRUE(contains(result.output, " band 28\n")) << result.output;
  EXPECT_TRUE(contains(result.output, "colours as if the bands were the published ones")) << result.output;
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
  int ends[2];
  if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminals here";
  for (const int end : ends) ::close(end);
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

/// Runs `snapcube view` with `arguments` and `environment` (as a shell has it), does `meanwhile` once it has told its
/// address ($A), and ends it by Ctrl-C's signal.
Result while_viewing(const testing::TemporaryFolder& folder, const std::string& environment,
                     const std::string& arguments, const std::string& meanwhile) {
  const std::string script = "cd " + (folder / ".") + "\n" + environment + " " SNAPCUBE_PROGRAM " view " + arguments +
                             " > out 2> err & pid=$!\n"
                             "for i in $(seq 200); do grep -q Ctrl-C err && break; sleep 0.05; done\n"
                             "A=$(cat out)\n" +
                             meanwhile + "\nkill -INT $pid; wait $pid; echo \"code $?\"; cat out err";
  testing::write_file(folder / "script", script);
  return testing::run("bash " + (folder / "script"));
}

TEST_F(Look, ViewShowsReflectanceOfAWhiteReference) {
  // A region against itself: 1 in every band. bash speaks HTTP well enough.
  const std::string ask =
      "P=$(echo $A | cut -d: -f3 | cut -d/ -f1); exec 3<>/dev/tcp/127.0.0.1/$P\n"
      "printf 'GET /%s/spectrum?source=0&x=2&y=1&width=4&height=3 HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n"
      "Connection: close\\r\\n\\r\\n' $(echo $A | cut -d/ -f4) $P >&3; cat <&3";
  const Result result = while_viewing(
      folder, "", "--no-open truth/chart.mat --white truth/chart.mat --white-region 1,2,3,4 --white-reflectance 0.5",
      ask);
  const auto at = result.output.find("\"mean\":[");
  ASSERT_NE(at, std::string::npos) << result.output;
  const auto end = result.output.find(']', at);
  const auto means = nlohmann::json::parse(result.output.substr(at + 7, end - at - 6));
  ASSERT_GT(means.size(), 1u);
  for (const auto& mean : means) EXPECT_NEAR(mean.get<double>(), 0.5, 1e-5);
  // What is no cube cannot be a reference here.
  const Result capture = testing::snapcube("view --no-open " + (folder / "truth/chart.mat") + " --white " +
                                           (folder / "truth/chart.mat") + " --white-region 1,2,3,4000");
  EXPECT_EQ(capture.code, 2) << capture.output;
}

TEST_F(Look, ViewServesUntilItIsInterrupted) {
  const Result result = while_viewing(folder, "", "--no-open truth/chart.mat", "");
  EXPECT_TRUE(contains(result.output, "code 0")) << result.output;
  EXPECT_TRUE(contains(result.output, "http://127.0.0.1:")) << result.output;
  EXPECT_TRUE(contains(result.output, "open this address in a browser")) << result.output;
}

TEST_F(Look, ViewSaysWhenItsPortIsTaken) {
  // Another viewer asks for the port of the first.
  const Result result = while_viewing(folder, "", "--no-open truth/chart.mat",
                                      "P=${A#http://127.0.0.1:}; P=${P%%/*}; " SNAPCUBE_PROGRAM
                                      " view --no-open truth/chart.mat --port $P; echo \"second $? on $P\"");
  EXPECT_TRUE(contains(result.output, "second 1 on ")) << result.output;
  EXPECT_TRUE(contains(result.output, "is it in use?")) << result.output;
  EXPECT_TRUE(contains(result.output, "code 0")) << result.output;
}

TEST_F(Look, ViewOpensTheBrowserWhereThereIsAScreen) {
  testing::write_file(folder / "xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
  std::filesystem::permissions(folder / "xdg-open", std::filesystem::perms::owner_all);
  const std::string path = "PATH=.:$PATH ";
  const Result opened = while_viewing(folder, path + "DISPLAY=:7", "truth/chart.mat",
                                      "for i in $(seq 40); do test -s opened && break; sleep 0.05; done\n"
                                      "test \"$(cat opened)\" = \"$A\" && echo same");
  EXPECT_TRUE(contains(opened.output, "the browser opens")) << opened.output;
  EXPECT_TRUE(contains(opened.output, "same\n")) << opened.output;

  std::filesystem::remove(folder / "opened");
  const std::pair<std::string, std::string> others[] = {
      {path + "DISPLAY= WAYLAND_DISPLAY=", ""},
      {path + "DISPLAY=:7", "--no-open"},
      {"PATH=/nowhere DISPLAY=:7", ""},  // a screen, but nothing that opens addresses
  };
  for (const auto& [environment, options] : others) {
    const Result result = while_viewing(folder, environment, options + " truth/chart.mat", "sleep 0.1");
    EXPECT_TRUE(contains(result.output, "open this address in a browser")) << environment << result.output;
    EXPECT_TRUE(contains(result.output, "code 0")) << environment << result.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "opened")) << environment << options;
  }
}

}  // namespace
}  // namespace snapcube
