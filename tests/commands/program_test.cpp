// The program as a whole: help, versions, usage errors, what is linked.

#include <algorithm>
#include <array>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::Result;

constexpr std::array kCommands = {"simulate", "reconstruct", "evaluate", "inspect", "convert", "demo"};

TEST(Program, EveryCommandHelpsWithExamples) {
  const Result help = testing::snapcube("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : kCommands) {
    EXPECT_TRUE(contains(help.output, command)) << command;
    const Result own = testing::snapcube(std::string(command) + " --help");
    EXPECT_EQ(own.code, 0) << command;
    EXPECT_TRUE(contains(own.output, std::string("  snapcube ") + command)) << own.output;
  }
}

TEST(Program, TellsItsVersion) {
  const Result version = testing::snapcube("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.output.substr(0, 9), "snapcube ");
}

TEST(Program, UsageErrorsExitWithTwo) {
  for (const char* arguments :
       {"", "nonsense", "simulate", "simulate --bogus", "evaluate one.mat",
        "reconstruct a.mat --mask m.mat -o b.mat --axis sideways", "convert a.mat b.mat --as pear"}) {
    EXPECT_EQ(testing::snapcube(arguments).code, 2) << arguments;
  }
}

TEST(Program, LinksNoTorch) {
  std::FILE* pipe = ::popen("ldd " SNAPCUBE_PROGRAM, "r");
  ASSERT_NE(pipe, nullptr);
  std::string libraries;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    libraries.append(buffer.data(), n);
  ::pclose(pipe);
  EXPECT_TRUE(contains(libraries, "libsnapcube"));
  EXPECT_FALSE(contains(libraries, "torch"));
}

}  // namespace
}  // namespace snapcube
