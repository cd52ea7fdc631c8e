// The program as a whole: help, versions, usage errors, what is linked.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::Result;

constexpr std::array kCommands = {"simulate", "reconstruct", "evaluate", "view", "watch",
                                  "report",   "inspect",     "convert",  "demo"};

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

TEST(Program, EveryCommandThatReadsFilesTakesALimit) {
  for (const char* command :
       {"simulate", "reconstruct", "evaluate", "view", "compare", "report", "inspect", "convert", "export", "bench"}) {
    EXPECT_TRUE(contains(testing::snapcube(std::string(command) + " --help").output, "--max-memory")) << command;
  }
}

TEST(Program, TellsItsVersion) {
  const Result version = testing::snapcube("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.output.substr(0, 9), "snapcube ");
  for (const char* other : {"-V", "version"}) {
    const Result same = testing::snapcube(other);
    EXPECT_EQ(same.code, 0) << other;
    EXPECT_EQ(same.output, version.output) << other;
  }
}

TEST(Program, UsageErrorsExitWithTwo) {
  for (const char* arguments :
       {"", "nonsense", "simulate", "simulate --bogus", "evaluate one.mat",
        "reconstruct a.mat --mask m.mat -o b.mat --axis sideways", "convert a.mat b.mat --as pear"}) {
    EXPECT_EQ(testing::snapcube(arguments).code, 2) << arguments;
  }
}

/// Puts an executable script into a folder.
void write_script(const std::string& path, const std::string& body) {
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// PATH while it lives.
class SearchPath {
 public:
  explicit SearchPath(const std::string& path) { ::setenv("PATH", path.c_str(), 1); }
  ~SearchPath() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_ = std::getenv("PATH");
};

TEST(Program, UnknownCommandsAreProgramsInThePath) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "snapcube-folder");
  std::ofstream(folder / "snapcube-plain") << "not executable";
  write_script(folder / "snapcube-hello", R"(echo "hello from ${0##*/}"; for a in "$@"; do echo "<$a>"; done; exit 7)");
  write_script(folder / "snapcube-demo", "echo never");
  const SearchPath path("/nowhere::" + folder.path().string() + ":/usr/bin:/bin");

  const Result hello = testing::snapcube("hello 'a b' --help \"\"");
  EXPECT_EQ(hello.code, 7);
  EXPECT_EQ(hello.output, "hello from snapcube-hello\n<a b>\n<--help>\n<>\n");
  EXPECT_FALSE(contains(testing::snapcube("demo --help").output, "never")) << "its own commands come first";
  for (const char* name : {"plain", "folder", "goodbye", "../snapcube-hello", "HELLO"}) {
    EXPECT_EQ(testing::snapcube(name).code, 2) << name;
  }
}

TEST(Program, TrainIsAProgramOfItsOwn) {
  // The program finds its library beside its own folder.
  namespace fs = std::filesystem;
  const testing::TemporaryFolder folder;
  const fs::path installed(SNAPCUBE_PROGRAM);
  for (const auto& entry : fs::directory_iterator(installed.parent_path().parent_path())) {
    if (entry.path().filename().string().starts_with("lib")) {
      fs::create_directory_symlink(entry.path(), folder / entry.path().filename().string());
    }
  }
  fs::create_directory(folder / "bin");
  const std::string program = folder / "bin/snapcube";
  fs::copy_file(installed, program);
  const auto run = [&](const std::string& arguments) { return testing::run(program + " " + arguments); };
  {
    const SearchPath path("/usr/bin:/bin");
    const Result missing = run("train --describe cst-s");
    EXPECT_EQ(missing.code, 1);
    EXPECT_TRUE(contains(missing.output, "snapcube-train")) << missing.output;
  }
  write_script(folder / "bin/snapcube-train", "echo beside: $*");
  EXPECT_EQ(run("train --describe cst-s").output, "beside: --describe cst-s\n");
}

TEST(Program, LinksNeitherTorchNorTheFormatsLibraries) {
  const std::string libraries = testing::run("ldd " SNAPCUBE_PROGRAM).output;
  EXPECT_TRUE(contains(libraries, "libsnapcube.so"));
  for (const char* name : {"torch", "hdf5", "matio", "tiff", "curl", "libsnapcube-formats"}) {
    EXPECT_FALSE(contains(libraries, name)) << name;
  }
}

TEST(Program, WorksWithoutTheFormatsLibraryButForItsFormats) {
  namespace fs = std::filesystem;
  const testing::TemporaryFolder folder;
  const fs::path installed(SNAPCUBE_PROGRAM);
  fs::create_directory(folder / "bin");
  fs::copy_file(installed, folder / "bin/snapcube");
  for (const auto& entry : fs::directory_iterator(installed.parent_path().parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("lib")) continue;
    fs::create_directory(folder / name);
    for (const auto& library : fs::directory_iterator(entry.path())) {
      const std::string file = library.path().filename().string();
      if (file.starts_with("libsnapcube.so")) fs::copy_file(library.path(), (folder / name) + "/" + file);
    }
  }
  const std::string program = folder / "bin/snapcube";
  const std::string shot = folder / "y.npy";
  const Result made = testing::run(program + " simulate --scene chart --size 8x8 --random-mask binary -o " + shot);
  ASSERT_EQ(made.code, 0) << made.output;
  for (const char* extension : {"h5", "tif"}) {
    const Result result = testing::run(program + " convert " + shot + " " + (folder / "y.") + extension);
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.output, "libsnapcube-formats.so")) << result.output;
  }
}

}  // namespace
}  // namespace snapcube
