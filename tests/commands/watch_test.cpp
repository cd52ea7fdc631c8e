// `snapcube watch` over a folder: real processes, files that come in every way that files come.

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
using testing::write_file;

/// A small camera, frames of it, a folder that they come into and one for the cubes.
class Watch : public ::testing::Test {
 protected:
  Watch() {
    CameraFile camera;
    camera.mask = random_mask(24, 24, MaskKind::binary, 0.5, 3);
    camera.wavelengths = even_wavelengths(450, 40, 4);
    camera.positions = {0, 1, 2, 3};
    camera.detector.saturation = 65535;
    write_camera(camera, place_ / "camera.h5");
    device_ = camera.camera();
    for (const char* name : {"shots", "cubes", "away"}) fs::create_directory(place_ / name);
  }

  std::string shot(const std::string& name) const { return place_ / ("shots/" + name); }
  std::string cube(const std::string& name) const { return place_ / ("cubes/" + name); }

  /// A frame as a PNG, its bytes.
  std::string frame(std::uint64_t seed) const {
    const std::string path = place_ / "away/frame.png";
    Image y = device_->forward(testing::random_cube(4, 24, 24, seed));
    for (float& v : y.values()) v /= 8;
    fs::remove(path);
    write_measurement(y, path, {.type = SampleType::u16});
    return file_content(path);
  }
  /// Written elsewhere on the same disk, then renamed.
  void move_in(const std::string& name, const std::string& bytes) const {
    write_file(place_ / ("away/" + name), bytes);
    // Not just now: what is there when the program starts is then complete.
    fs::last_write_time(place_ / ("away/" + name), fs::file_time_type::clock::now() - 10s);
    fs::rename(place_ / ("away/" + name), shot(name));
  }

  std::vector<std::string> usual(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {place_ / "shots", "--camera", place_ / "camera.h5", "--method", "gap-tv", "--set",
                                    "iterations=3",   "-o",       place_ / "cubes",     "--format", "npy"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Everything in the folder of cubes but the journal.
  std::vector<std::string> cubes() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(place_ / "cubes")) {
      const std::string name = entry.path().filename().string();
      if (name != "watch.jsonl") names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  TemporaryFolder place_;
  std::optional<Camera> device_;
};

using Names = std::vector<std::string>;

TEST_F(Watch, ReconstructsEveryFrameOnceInOrderOfArrival) {
  write_file(shot("b.png"), frame(1));
  fs::last_write_time(shot("b.png"), fs::file_time_type::clock::now() - 10s);
  write_file(shot("a.png"), frame(2));
  fs::last_write_time(shot("a.png"), fs::file_time_type::clock::now() - 5s);
  Watcher watcher(usual());
  EXPECT_EQ(watcher.next()["event"], "start");
  EXPECT_EQ(watcher.next("cube")["input"], shot("b.png")) << "the older one first";
  EXPECT_EQ(watcher.next("cube")["input"], shot("a.png"));

  // One is written in pieces, and meanwhile another comes.
  const std::string slow = frame(3);
  {
    std::ofstream file(shot("slow.png"), std::ios::binary);
    file << slow.substr(0, slow.size() / 2) << std::flush;
    std::this_thread::sleep_for(200ms);
    move_in("moved.png", frame(4));
    EXPECT_EQ(watcher.next("cube")["input"], shot("moved.png"));
    std::this_thread::sleep_for(100ms);
    file << slow.substr(slow.size() / 2);
  }
  const auto line = watcher.next();
  EXPECT_EQ(line["input"], shot("slow.png")) << line;
  EXPECT_EQ(line["output"], cube("slow.npy"));
  EXPECT_GT(line["latency"].get<double>(), 0);
  EXPECT_LT(line["misfit"].get<double>(), 0.5);
  EXPECT_EQ(line["waiting"], 0);
  // Opened for writing and left as it is: nothing new.
  { std::ofstream file(shot("a.png"), std::ios::binary | std::ios::app); }
  EXPECT_TRUE(watcher.next(300ms).is_null());
  // Two at once, as it seems to a program that could not run meanwhile.
  watcher.signal(SIGSTOP);
  move_in("later.png", frame(6));
  move_in("again.png", frame(7));
  watcher.signal(SIGCONT);
  EXPECT_EQ(watcher.next("cube")["input"], shot("later.png"));
  EXPECT_EQ(watcher.next("cube")["input"], shot("again.png"));
  EXPECT_EQ(watcher.stop(), 0);
  EXPECT_EQ(watcher.next("end")["cubes"], 6);
  EXPECT_EQ(cubes(), (Names{"a.npy", "again.npy", "b.npy", "later.npy", "moved.npy", "slow.npy"}));

  // The same cube that `reconstruct` makes.
  const testing::Result once =
      testing::snapcube(fmt::format("reconstruct {} --camera {} --method gap-tv --set iterations=3 -o {}",
                                    shot("slow.png"), place_ / "camera.h5", place_ / "once.npy"));
  ASSERT_EQ(once.code, 0) << once.output;
  EXPECT_EQ(file_content(place_ / "once.npy"), file_content(cube("slow.npy")));
}

TEST_F(Watch, ARestartSkipsWhatIsDone) {
  for (int i = 0; i < 3; ++i) move_in(fmt::format("{}.png", i), frame(static_cast<std::uint64_t>(i)));
  {
    Watcher killed(usual());
    killed.next("cube");
    EXPECT_EQ(killed.stop(SIGKILL), 128 + SIGKILL);
  }
  const std::string noted = file_content(cube("watch.jsonl"));
  const auto done = static_cast<std::size_t>(std::ranges::count(noted, '\n'));
  ASSERT_GE(done, 1u);
  for (const std::string& name : cubes()) {
    if (name.starts_with('.')) fs::remove(cube(name));  // a kill leaves what was being written, under another name
  }
  // A power cut left half a line.
  std::ofstream(cube("watch.jsonl"), std::ios::app) << R"({"input": "2.png", "si)";
  {
    Watcher again(usual({"--frames", std::to_string(3 - done)}));
    if (done < 3) {
      EXPECT_EQ(again.stop(0), 0) << again.errors();
    }
  }
  EXPECT_EQ(cubes(), (Names{"0.npy", "1.npy", "2.npy"}));

  // All is done: only what was written again, and what has lost its cube, is done again.
  fs::remove(cube("1.npy"));
  std::this_thread::sleep_for(10ms);
  const std::string before = file_content(cube("2.npy"));
  move_in("2.png", frame(77));
  Watcher last(usual());
  Names inputs = {last.next("cube")["input"], last.next("cube")["input"]};
  std::ranges::sort(inputs);
  EXPECT_EQ(inputs, (Names{shot("1.png"), shot("2.png")}));
  EXPECT_TRUE(last.next(200ms).is_null());
  EXPECT_NE(file_content(cube("2.npy")), before);

  // Two in one folder would do everything twice.
  const testing::Result second = testing::snapcube(
      fmt::format("watch {} --camera {} -o {}", place_ / "shots", place_ / "camera.h5", place_ / "cubes"));
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(contains(second.output, "another `snapcube watch`")) << second.output;
  EXPECT_EQ(last.stop(SIGTERM), 0);
}

TEST_F(Watch, NamesWhatIsNoFrameAndPassesItOver) {
  const std::string good = frame(5);
  write_file(shot("notes.txt"), "not a frame");
  write_file(shot(".hidden.png"), "not looked at");
  fs::create_directory(shot("folder.png"));
  write_measurement(Image(7, 9), shot("small.npy"));
  Watcher watcher(usual());
  watcher.next("start");
  Names named;
  for (int i = 0; i < 2; ++i) {
    const auto line = watcher.next();
    EXPECT_EQ(line["event"], "passed over") << line;
    named.push_back(line["input"]);
    if (line["input"] == shot("small.npy")) {
      EXPECT_TRUE(contains(line["why"], "found 7×9")) << line;
    }
  }
  std::ranges::sort(named);
  EXPECT_EQ(named, (Names{shot("notes.txt"), shot("small.npy")}));

  // Cut short; then complete under the same name. And a name that is free for a while.
  move_in("cut.png", good.substr(0, good.size() - 40));
  EXPECT_EQ(watcher.next()["input"], shot("cut.png"));
  write_file(shot("upload.png.part"), good);
  fs::rename(shot("upload.png.part"), shot("upload.png"));
  const auto line = watcher.next();
  EXPECT_EQ(line["event"], "cube") << line;
  EXPECT_EQ(line["input"], shot("upload.png"));
  move_in("cut.png", good);
  EXPECT_EQ(watcher.next()["output"], cube("cut.npy"));
  EXPECT_EQ(file_content(cube("cut.npy")), file_content(cube("upload.npy")));

  // A writer that stops for long: named as it is, taken when it goes on. And another format of the same name.
  {
    std::ofstream file(shot("stalled.png"), std::ios::binary);
    file << good.substr(0, 100) << std::flush;
    const auto stalled = watcher.next();
    EXPECT_EQ(stalled["event"], "passed over") << stalled;
    EXPECT_EQ(stalled["input"], shot("stalled.png"));
    file << good.substr(100);
  }
  EXPECT_EQ(watcher.next()["output"], cube("stalled.npy"));
  write_measurement(Image(24, 27, 0.5f), shot("cut.npy"));
  EXPECT_EQ(watcher.next()["output"], cube("cut.npy.npy"));
  EXPECT_EQ(watcher.stop(), 0);
  EXPECT_EQ(cubes(), (Names{"cut.npy", "cut.npy.npy", "stalled.npy", "upload.npy"}));
}

TEST_F(Watch, DropsOldFramesForTheLatestOrTellsHowManyWait) {
  // Frames that come while a cube is being made: all at once, as it seems to the program.
  const auto slow = usual({"--set", "iterations=2000"});
  const auto all_at_once = [&](int first) {
    for (int i = first; i < first + 5; ++i) move_in(fmt::format("{}.png", i), frame(static_cast<std::uint64_t>(i)));
  };
  {
    auto arguments = slow;
    arguments.push_back("--latest");
    Watcher latest(arguments);
    latest.next("start");
    all_at_once(0);
    int done = 0;
    int dropped = 0;
    std::string input;
    while (done + dropped < 5) {
      const auto line = latest.next();
      ASSERT_FALSE(line.is_null());
      done += line["event"] == "cube";
      dropped += line["event"] == "dropped";
      if (line["event"] == "cube") input = line["input"];
    }
    EXPECT_GE(dropped, 1);
    EXPECT_EQ(input, shot("4.png"));
    EXPECT_EQ(latest.stop(), 0);
    EXPECT_EQ(latest.next("end")["dropped"], dropped);
    // What was dropped stays dropped.
    Watcher again(arguments);
    again.next("start");
    EXPECT_TRUE(again.next(300ms).is_null());
  }
  // Unless all are wanted.
  const auto left = static_cast<int>(5 - cubes().size());
  auto arguments = usual({"--frames", std::to_string(left + 5)});
  all_at_once(5);
  Watcher all(arguments);
  std::int64_t most = 0;
  for (int i = 0; i < left + 5; ++i) most = std::max(most, all.next("cube")["waiting"].get<std::int64_t>());
  EXPECT_GE(most, 1);
  EXPECT_EQ(all.stop(0), 0);
  EXPECT_EQ(cubes().size(), 10u);
}

TEST_F(Watch, AnInterruptLeavesNothingHalfDone) {
  move_in("long.png", frame(1));
  Watcher watcher(usual({"--set", "iterations=1000000"}));
  watcher.next("start");
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(watcher.stop(), 0) << watcher.errors();
  EXPECT_EQ(watcher.next("end")["interrupted"], true);
  EXPECT_EQ(cubes(), Names{});
  EXPECT_EQ(file_content(cube("watch.jsonl")), "");
  Watcher again(usual({"--frames", "1"}));
  EXPECT_EQ(again.stop(0), 0) << again.errors();
  EXPECT_EQ(cubes(), Names{"long.npy"});
}

TEST_F(Watch, TakesEveryFrameOfAStackAndOfFilesWithoutHeaders) {
  const RawLayout layout = RawLayout::parse("27x24:u16le", "--raw");
  std::string bytes;
  for (std::uint64_t i = 0; i < 2 * layout.frame_bytes(); ++i) bytes += static_cast<char>(i * 37 % 101);
  move_in("two.bin", bytes);
  move_in("odd.bin", bytes.substr(1));
  Watcher watcher(usual({"--raw", "27x24:u16le"}));
  watcher.next("start");
  Names outputs;
  std::string why;
  for (int i = 0; i < 3; ++i) {
    const auto line = watcher.next();
    if (line["event"] == "cube") outputs.push_back(line["output"]);
    if (line["event"] == "passed over") why = line["why"];
  }
  EXPECT_EQ(outputs, (Names{cube("two.bin-0001.npy"), cube("two.bin-0002.npy")}));
  EXPECT_TRUE(contains(why, "whole frames of 1296 bytes")) << why;
}

TEST_F(Watch, RefusesWhatCannotWork) {
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const testing::Result result = testing::snapcube("watch " + arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_TRUE(contains(result.output, why)) << result.output;
  };
  const std::string camera = " --camera " + (place_ / "camera.h5");
  refused(place_ / "nowhere" + camera + " -o " + (place_ / "new"), "nowhere");
  refused(place_ / "shots" + camera + " -o " + (place_ / "shots"), "another folder");
  refused(place_ / "shots -o " + (place_ / "new"), "a mask file, or a camera file");
  refused(place_ / "shots" + camera + " -o " + (place_ / "camera.h5"), "a folder");
  EXPECT_FALSE(fs::exists(place_ / "new"));
}

}  // namespace
}  // namespace snapcube
