// docs/bench.md: every command in it is run, in its order, and prints what the page says.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "run.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;

/// A command of the page, and the lines that it shows below.
struct Step {
  std::string command;
  std::string output;
  int line = 0;
};

/// Of blocks that begin with ```console: "$ " begins a command, "\" at its end goes on in the next line.
std::vector<Step> steps_of(const std::string& page) {
  std::vector<Step> steps;
  std::istringstream stream(page);
  std::string line;
  bool inside = false;
  bool goes_on = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && goes_on) {
      steps.back().command += line;
    } else if (inside && line.starts_with("$ ")) {
      steps.push_back({line.substr(2), "", number});
    } else if (inside && !steps.empty()) {
      steps.back().output += line + "\n";
      continue;
    } else {
      continue;
    }
    goes_on = inside && !steps.empty() && steps.back().command.ends_with('\\');
    if (goes_on) steps.back().command.pop_back();
  }
  return steps;
}

/// Words as they are; numbers with so much freedom as processors round differently; "…" is the rest of a line, such as
/// a time.
std::string line_difference(const std::string& expected, const std::string& found) {
  std::istringstream a(expected);
  std::istringstream b(found);
  std::string left;
  std::string right;
  while (a >> left) {
    if (left == "…") return "";
    if (!(b >> right)) return fmt::format("'{}' is missing", left);
    if (left == right) continue;
    const auto ends = [](std::string& word) {
      std::string rest;
      while (!word.empty() && std::string(",.:)%;°").find(word.back()) != std::string::npos) {
        rest += word.back();
        word.pop_back();
      }
      return rest;
    };
    std::string x = left;
    std::string y = right;
    if (ends(x) == ends(y)) {
      const auto n = parse_double(x);
      const auto m = parse_double(y);
      if (n && m && std::fabs(*n - *m) <= 0.02 * std::fabs(*n) + 0.0101) continue;
    }
    return fmt::format("'{}' in place of '{}'", right, left);
  }
  return b >> right ? fmt::format("'{}' beyond the end", right) : "";
}

std::string difference(const std::string& expected, const std::string& found) {
  std::istringstream a(expected);
  std::istringstream b(found);
  std::string left;
  std::string right;
  while (std::getline(a, left)) {
    if (!std::getline(b, right)) return fmt::format("the line '{}' is missing", left);
    if (const std::string off = line_difference(left, right); !off.empty()) return off;
  }
  return std::getline(b, right) ? fmt::format("the line '{}' beyond the end", right) : "";
}

TEST(BenchTutorial, EveryCommandPrintsWhatThePageSays) {
  const std::string page = testing::file_content(std::string(SNAPCUBE_SOURCE) + "/docs/bench.md");
  const std::vector<Step> steps = steps_of(page);
  ASSERT_GE(steps.size(), 5u);
  const testing::TemporaryFolder folder;
  const std::string programs = fs::path(SNAPCUBE_PROGRAM).parent_path().string();
  for (const Step& step : steps) {
    SCOPED_TRACE(fmt::format("docs/bench.md:{}: {}", step.line, step.command));
    const testing::Result result = testing::run(
        fmt::format("cd '{}' && PATH='{}':\"$PATH\" && {}", folder.path().string(), programs, step.command));
    ASSERT_EQ(result.code, 0) << result.output;
    EXPECT_EQ(difference(step.output, result.output), "") << result.output;
  }
}

/// The comparison itself can fail.
TEST(BenchTutorial, WordsAndNumbersAreCompared) {
  EXPECT_EQ(difference("gain 4.50 e⁻, 3 hot", "gain 4.505 e⁻, 3 hot\n"), "");
  EXPECT_EQ(difference("gain 4.5", "gain 4.9"), "'4.9' in place of '4.5'");
  EXPECT_EQ(difference("gain 4.5", "loss 4.5"), "'loss' in place of 'gain'");
  EXPECT_EQ(difference("a b", "a"), "'b' is missing");
  EXPECT_EQ(difference("a", "a b"), "'b' beyond the end");
  EXPECT_EQ(difference("a …\nb", "a 1.2 s\nb"), "");
  EXPECT_EQ(difference("a\nb", "a"), "the line 'b' is missing");
  EXPECT_EQ(difference("a", "a\nb"), "the line 'b' beyond the end");
  const std::vector<Step> steps = steps_of("```console\n$ a \\\n  b\nout\n$ c\n```\n$ no command\n");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].command, "a   b");
  EXPECT_EQ(steps[0].output, "out\n");
  EXPECT_EQ(steps[1].command, "c");
}

}  // namespace
}  // namespace snapcube
