// Writing that fails: a full disk, a folder that may not be written, a program that is killed. The old file stays as it
// was or the new one is complete, and nothing else is left behind by a program that lives to clean up.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here
namespace fs = std::filesystem;

constexpr int kCouldNotPrepare = 99;

/// A cube, and every format that it can be written to.
class WriteFailure : public ::testing::Test {
 protected:
  WriteFailure() {
    write(random_cube(4, 32, 32, 1), input_);
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  }

  static std::vector<std::string> formats() {
    return {"x.mat", "x.npy", "x.npz", "x.h5", "x.hdr", "x.tif", "v73.mat", "x.safetensors", "pictures"};
  }

  /// Starts `snapcube convert … target` after `prepare`, in a process of its own.
  pid_t start(const std::string& target, const std::function<bool()>& prepare) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    // Between fork and exec only calls that need no lock.
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    if (!prepare()) ::_exit(kCouldNotPrepare);
    const std::string from = target.ends_with(".safetensors") ? data_file("models/zip_plain.pth") : input_;
    if (target.ends_with("v73.mat")) {
      ::execl(SNAPCUBE_PROGRAM, "snapcube", "convert", from.c_str(), target.c_str(), "--v7.3", nullptr);
    } else {
      ::execl(SNAPCUBE_PROGRAM, "snapcube", "convert", from.c_str(), target.c_str(), nullptr);
    }
    ::_exit(kCouldNotPrepare);
  }

  int run(
      const std::string& target, const std::function<bool()>& prepare = [] { return true; }) const {
    int status = 0;
    ::waitpid(start(target, prepare), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Names and contents of all files in a folder.
  static std::map<std::string, std::string> contents(const fs::path& place) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
      if (entry.is_regular_file()) files[entry.path().string()] = file_content(entry.path().string());
    }
    return files;
  }

  TemporaryFolder folder_;
  std::string input_ = folder_ / "in.npy";
};

/// Size of the largest file that belongs to a target.
std::uint64_t size_of(const std::map<std::string, std::string>& files) {
  std::size_t most = 0;
  for (const auto& [name, content] : files) most = std::max(most, content.size());
  return most;
}

TEST_F(WriteFailure, AFullDiskLeavesTheOldFile) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const fs::path place = folder_.path() / ("full-" + name);
    fs::create_directory(place);
    const std::string target = (place / name).string();
    ASSERT_EQ(run(target), 0);
    // Something else than what will be written, of the same names.
    for (const auto& [file, content] : contents(place)) write_file(file, "old " + file);
    std::map<std::string, std::string> whole;
    {
      TemporaryFolder elsewhere;
      ASSERT_EQ(run(elsewhere / name), 0);
      whole = contents(elsewhere.path());
    }
    const auto before = contents(place);
    const std::uint64_t size = size_of(whole);
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{1}, size / 2, size - 1}) {
      SCOPED_TRACE(most);
      const int code = run(target, [most] {
        const rlimit limit{most, most};
        std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
        return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
      });
      EXPECT_EQ(code, 1);
      EXPECT_TRUE(contents(place) == before);
    }
    const int code = run(target, [size] {
      const rlimit limit{2 * size, 2 * size};
      return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    });
    EXPECT_EQ(code, 0);
    EXPECT_FALSE(contents(place) == before);
  }
}

TEST_F(WriteFailure, ASmallDiskLeavesTheOldFile) {
  const fs::path place = folder_.path() / "disk";
  fs::create_directory(place);
  // A file system of 16 kB that only the child sees: it fills it, and looks at what is left.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=16k") != 0) {
      ::_exit(kCouldNotPrepare);
    }
    int wrong = 0;
    for (const std::string name : {"x.npy", "x.mat", "x.h5", "x.npz", "x.tif"}) {
      const std::string target = (place / name).string();
      write_file(target, "old");
      wrong += run(target) != 1 || contents(place) != std::map<std::string, std::string>{{target, "old"}};
      fs::remove(target);
    }
    ::_exit(wrong);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kCouldNotPrepare) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "formats that went wrong";
}

TEST_F(WriteFailure, AFolderThatMayNotBeWritten) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const fs::path place = folder_.path() / ("closed-" + name);
    fs::create_directory(place);
    ASSERT_EQ(run((place / name).string()), 0);
    const auto before = contents(place);
    fs::permissions(place,
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    const int code = run((place / name).string(), [] {
      // Root may write anywhere; so be nobody.
      constexpr uid_t kNobody = 65534;
      return ::geteuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
    });
    fs::permissions(place, fs::perms::owner_all);
    if (code == kCouldNotPrepare) GTEST_SKIP() << "the program is out of another user's reach";
    EXPECT_EQ(code, 1);
    EXPECT_TRUE(contents(place) == before);
  }
}

TEST_F(WriteFailure, KilledInTheMiddle) {
  for (const std::string name : {"x.mat", "x.npy", "x.npz", "x.h5", "x.tif", "x.safetensors"}) {
    SCOPED_TRACE(name);
    const fs::path place = folder_.path() / ("killed-" + name);
    fs::create_directory(place);
    const std::string target = (place / name).string();
    ASSERT_EQ(run(target), 0);
    const std::string complete = file_content(target);
    int killed = 0;
    for (int i = 0; i < 12; ++i) {
      write_file(target, "old");
      const pid_t child = start(target, [] { return true; });
      std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      killed += WIFSIGNALED(status);
      const std::string left = file_content(target);
      EXPECT_TRUE(left == "old" || left == complete) << left.size() << " bytes after " << 3 * i << " ms";
    }
    EXPECT_GT(killed, 0);
  }
}

}  // namespace
}  // namespace snapcube
