// `snapcube watch` with a pipe, with a simulated machine-vision camera, and with a page.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

#include <snapcube/snapcube.h>

#include "run.h"
#include "watcher.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::contains;
using testing::file_content;
using testing::TemporaryFolder;
using testing::Watcher;

/// Ends a process that the test started.
class Process {
 public:
  explicit Process(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& w : words) pointers.push_back(w.data());
    pointers.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      const int nothing = ::open("/dev/null", O_RDWR);
      for (int stream = 0; stream < 3; ++stream) ::dup2(nothing, stream);
      ::execvp(pointers[0], pointers.data());
      ::_exit(127);
    }
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
  }

 private:
  pid_t child_ = -1;
};

class WatchStream : public ::testing::Test {
 protected:
  /// A camera whose frames are of this size.
  std::vector<std::string> arguments(int height, int width, std::vector<std::string> more) {
    write_mask(random_mask(height, width - 3, MaskKind::binary, 0.5, 3), place_ / "mask.npy");
    std::vector<std::string> all = {"--mask", place_ / "mask.npy", "--bands", "4",     "--step",
                                    "1",      "--method",          "gap-tv",  "--set", "iterations=2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string cube(const std::string& name) const { return place_ / ("cubes/" + name); }
  TemporaryFolder place_;
};

/// A frame of 27×24 pixels of 16 bits.
std::string frame_bytes(int seed) {
  std::string bytes;
  for (int i = 0; i < 27 * 24; ++i) {
    const int value = (i * 37 + seed * 101) % 1000;
    bytes += static_cast<char>(value & 255);
    bytes += static_cast<char>(value >> 8);
  }
  return bytes;
}

TEST_F(WatchStream, TakesFramesFromAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const auto send = [&](const std::string& bytes) {
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  const auto words = arguments(24, 27, {"-", "--raw", "27x24:u16le", "-o", place_ / "cubes", "--format", "npy"});
  {
    Watcher watcher(words, ends[0]);
    watcher.next("start");
    // A frame and a half, and after a while the rest.
    send(frame_bytes(1) + frame_bytes(2).substr(0, 700));
    EXPECT_EQ(watcher.next("cube")["output"], cube("frame-000001.npy"));
    EXPECT_TRUE(watcher.next(150ms).is_null());
    send(frame_bytes(2).substr(700) + frame_bytes(3).substr(0, 100));
    EXPECT_EQ(watcher.next("cube")["input"], "frame 2");
    ::close(ends[1]);
    const auto line = watcher.next();
    EXPECT_EQ(line["event"], "passed over");
    EXPECT_TRUE(contains(line["why"], "ended after 100 of its 1296 bytes")) << line;
    EXPECT_EQ(watcher.next()["event"], "end");
    EXPECT_EQ(watcher.stop(0), 0);
  }
  ::close(ends[0]);

  // The same cube as from a file; and numbers go on.
  testing::write_file(place_ / "two.raw", frame_bytes(2));
  const testing::Result once = testing::snapcube(fmt::format(
      "reconstruct {} --raw 27x24:u16le --mask {} --bands 4 --step 1 --method gap-tv --set iterations=2 -o {}",
      place_ / "two.raw", place_ / "mask.npy", place_ / "two.npy"));
  ASSERT_EQ(once.code, 0) << once.output;
  EXPECT_EQ(file_content(place_ / "two.npy"), file_content(cube("frame-000002.npy")));
  const int again = ::open((place_ / "two.raw").c_str(), O_RDONLY | O_CLOEXEC);
  Watcher watcher(words, again);
  EXPECT_EQ(watcher.next("cube")["output"], cube("frame-000003.npy"));
  EXPECT_EQ(watcher.stop(0), 0);
  ::close(again);
}

TEST_F(WatchStream, APipeNeedsToKnowItsFrames) {
  arguments(24, 27, {});
  const auto refused = [&](const std::string& words, const std::string& why) {
    const testing::Result result =
        testing::snapcube(fmt::format("watch {} --mask {} < /dev/null", words, place_ / "mask.npy"));
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_TRUE(contains(result.output, why)) << result.output;
  };
  refused("- -o " + (place_ / "cubes"), "what the frames of the pipe are");
  refused("- --raw 27x24:u16le", "a folder for the cubes (-o), or --view");
  refused("-o " + (place_ / "cubes"), "or --genicam");
  refused("- --genicam -o " + (place_ / "cubes"), "two of them");
  EXPECT_FALSE(fs::exists(place_ / "cubes"));
}

TEST_F(WatchStream, TakesFramesFromAMachineVisionCamera) {
  if (testing::run("command -v arv-fake-gv-camera-0.8").code != 0) GTEST_SKIP() << "aravis-tools is not installed";
  const auto words = arguments(512, 512, {"--genicam", "127.0.0.1", "-o", place_ / "cubes", "--format", "npy"});
  const std::string serial = fmt::format("T{}", ::getpid());
  Process camera({"arv-fake-gv-camera-0.8", "-i", "127.0.0.1", "-s", serial});
  std::this_thread::sleep_for(500ms);
  if (camera.ended()) GTEST_SKIP() << "the port of GigE cameras is taken";
  {
    Watcher watcher(words);
    const auto start = watcher.next();
    if (start.is_null()) {
      watcher.stop(0);
      const std::string why = watcher.errors();
      if (contains(why, "built without Aravis")) GTEST_SKIP() << why;
      FAIL() << why;
    }
    if (start["source"] != "Aravis-Fake-" + serial) GTEST_SKIP() << "another test's camera: " << start["source"];
    EXPECT_EQ(watcher.next("cube")["output"], cube("frame-000001.npy"));
    EXPECT_EQ(watcher.next("cube")["output"], cube("frame-000002.npy"));
    EXPECT_EQ(watcher.stop(), 0) << watcher.errors();
    EXPECT_TRUE(contains(watcher.errors(), "counts of which nothing is known"));
  }
  const Cube first = read_cube(cube("frame-000001.npy"));
  EXPECT_EQ(first.height(), 512);
  EXPECT_EQ(first.width(), 509);
  const auto [low, high] = std::ranges::minmax(first.values());
  EXPECT_GT(high, low + 0.05f) << "the camera's pattern";
  EXPECT_NE(file_content(cube("frame-000001.npy")), file_content(cube("frame-000002.npy"))) << "which moves";
  camera.end();

  // One that is not there: named, with those that are, and nothing is written.
  const testing::Result missing = testing::snapcube(
      fmt::format("watch --genicam no-such-camera --mask {} -o {}", place_ / "mask.npy", place_ / "new"));
  EXPECT_EQ(missing.code, 2) << missing.output;
  EXPECT_TRUE(contains(missing.output, "a camera called 'no-such-camera', found")) << missing.output;
  EXPECT_FALSE(fs::exists(place_ / "new"));
}

}  // namespace
}  // namespace snapcube
