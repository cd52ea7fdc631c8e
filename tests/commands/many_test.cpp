// Folders of frames through the real program: bad files, kills, ranks, memory.

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/resource.h>
#include <thread>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::file_content;
using testing::Result;

/// A camera of four bands and frames of it, shots/f00.npy, …; cubes go to cubes/.
class Many : public ::testing::Test {
 protected:
  explicit Many() : camera_(random_mask(32, 32, MaskKind::binary, 0.5, 1), {.bands = 4, .step = 1}) {
    write_mask(camera_.mask(), mask_);
    fs::create_directory(shots_);
  }

  void make_frames(int count, const std::string& extension = ".npy") const {
    for (int i = 0; i < count; ++i) {
      write_measurement(camera_.forward(testing::random_cube(4, 32, 32, static_cast<std::uint64_t>(i))),
                        frame(i, extension));
    }
  }
  std::string frame(int i, const std::string& extension = ".npy") const {
    return fmt::format("{}/f{:02}{}", shots_, i, extension);
  }
  std::string cube(int i, const std::string& extension = ".npy") const {
    return fmt::format("{}/f{:02}{}", cubes_, i, extension);
  }
  std::string command(int iterations, const std::string& more = "") const {
    return fmt::format(
        "reconstruct {} --mask {} --bands 4 --step 1 --method gap-tv --iterations {} --format npy -o {} {}", shots_,
        mask_, iterations, cubes_, more);
  }

  /// Starts it in a process of its own, with these variables of the environment.
  pid_t start(const std::string& arguments, const std::map<std::string, std::string>& variables = {}) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    const std::string line = "exec " + std::string(SNAPCUBE_PROGRAM) + " " + arguments;
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(99);
  }
  static int code_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::size_t cubes() const {
    std::size_t count = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(cubes_, none)) {
      count += !entry.path().filename().string().starts_with('.');
    }
    return count;
  }
  /// Waits until there are so many cubes.
  void wait_for(std::size_t count) const {
    for (int i = 0; i < 3000 && cubes() < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_GE(cubes(), count) << file_content(folder_ / "log");
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(cubes_)) {
      if (entry.is_regular_file()) files[entry.path().filename().string()] = file_content(entry.path().string());
    }
    return files;
  }
  /// How often each cube was made, by the lines of all journals.
  std::map<std::string, int> made() const {
    std::map<std::string, int> times;
    for (const auto& entry : fs::directory_iterator(cubes_ + "/.snapcube")) {
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        const auto record = nlohmann::json::parse(line, nullptr, false);
        if (record.is_object()) ++times[record["cube"]];
      }
    }
    return times;
  }

  testing::TemporaryFolder folder_;
  Camera camera_;
  std::string mask_ = folder_ / "mask.npy";
  std::string shots_ = folder_ / "shots";
  std::string cubes_ = folder_ / "cubes";
  std::string summary_ = folder_ / "summary.csv";
};

TEST_F(Many, ABadFileStopsNothingAndIsNamed) {
  make_frames(5);
  testing::write_file(frame(2), "no array");
  const Result first = testing::snapcube(command(2, "--summary " + summary_));
  EXPECT_EQ(first.code, 1) << first.output;
  EXPECT_TRUE(contains(first.output, "4 of 5 frames done, 1 failed")) << first.output;
  EXPECT_TRUE(contains(first.output, "1 of 5 failed")) << first.output;
  EXPECT_TRUE(contains(first.output, frame(2) + ":")) << first.output;
  EXPECT_EQ(cubes(), 4u);
  const std::string table = file_content(summary_);
  EXPECT_TRUE(contains(table, "frame,cube,status,misfit,seconds,saturated_pixels,bad_pixels,error\n")) << table;
  EXPECT_TRUE(contains(table, frame(2) + ",f02.npy,failed,,,,,")) << table;
  // The misfit is that of cube and measurement.
  const double misfit = camera_.misfit(read_cube(cube(3)), read_measurement(frame(3)));
  EXPECT_TRUE(contains(table, fmt::format("{},f03.npy,done,{:.6g},", frame(3), misfit))) << table << misfit;

  // The frame is there at last: it alone is done, and the exit code says that all is well.
  write_measurement(read_measurement(frame(1)), frame(2));
  const Result second = testing::snapcube(command(2, "--summary " + folder_ / "s.json"));
  EXPECT_EQ(second.code, 0) << second.output;
  EXPECT_TRUE(contains(second.output, "4 of 5 cubes are done already")) << second.output;
  EXPECT_EQ(file_content(cube(1)), file_content(cube(2)));
  EXPECT_EQ(made(), (std::map<std::string, int>{
                        {"f00.npy", 1}, {"f01.npy", 1}, {"f02.npy", 2}, {"f03.npy", 1}, {"f04.npy", 1}}));
  const auto summary = nlohmann::json::parse(file_content(folder_ / "s.json"));
  EXPECT_EQ(summary["done"], 5);
  EXPECT_EQ(summary["failed"], 0);
  EXPECT_EQ(summary["results"].size(), 5u);
  EXPECT_NEAR(summary["results"][3]["misfit"].get<double>(), misfit, 1e-9);
}

TEST_F(Many, TheMaskAndTheDarkFrameInTheFolderAreNoFrames) {
  make_frames(2);
  fs::copy(mask_, shots_ + "/mask.npy");
  write_measurement(Image(32, 35, 0.0f), shots_ + "/dark.npy");
  const Result done = testing::snapcube(
      fmt::format("reconstruct {0} --mask {0}/mask.npy --dark {0}/../shots/dark.npy --bands 4 --step 1 --method gap-tv "
                  "--iterations 2 --format npy -o {1}",
                  shots_, cubes_));
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(cubes(), 2u);
}

TEST_F(Many, OnlyWhatHasChangedIsDoneAgain) {
  make_frames(3);
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  EXPECT_EQ(made()["f01.npy"], 1);
  write_measurement(read_measurement(frame(0)), frame(1));  // another frame of the same name
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  EXPECT_EQ(made()["f00.npy"], 1);
  EXPECT_EQ(made()["f01.npy"], 2);
  EXPECT_EQ(file_content(cube(0)), file_content(cube(1)));
  fs::remove(cube(2));
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  EXPECT_EQ(made()["f02.npy"], 2);
  // Other settings, another mask: all.
  const Result other = testing::snapcube(command(3));
  EXPECT_TRUE(contains(other.output, "3 cubes are made again, because")) << other.output;
  EXPECT_EQ(made()["f00.npy"], 2);
  write_mask(random_mask(32, 32, MaskKind::binary, 0.5, 2), mask_);
  ASSERT_EQ(testing::snapcube(command(3)).code, 0);
  EXPECT_EQ(made()["f00.npy"], 3);
  ASSERT_EQ(testing::snapcube(command(3, "--again")).code, 0);
  EXPECT_EQ(made()["f00.npy"], 4);
  // Pictures that are missing, or are to look different.
  const std::string pictures = command(3, "--preview " + folder_ / "pictures");
  ASSERT_EQ(testing::snapcube(pictures).code, 0);
  const std::string dark = file_content(folder_ / "pictures/f00.png");
  ASSERT_EQ(testing::snapcube(pictures).code, 0);
  EXPECT_EQ(made()["f00.npy"], 5);
  ASSERT_EQ(testing::snapcube(pictures + " --light").code, 0);
  EXPECT_NE(file_content(folder_ / "pictures/f00.png"), dark);
  ASSERT_EQ(testing::snapcube(command(3)).code, 0);
  // --json tells of all, whoever made them.
  const auto json = nlohmann::json::parse(testing::snapcube(command(3, "--json -q")).output);
  ASSERT_EQ(json["results"].size(), 3u);
  EXPECT_EQ(json["results"][0]["done_before"], true);
  EXPECT_GT(json["results"][0]["misfit"].get<double>(), 0);
}

TEST_F(Many, AKilledRunGoesOnWhereItWas) {
  constexpr int kFrames = 12;
  make_frames(kFrames);
  ASSERT_EQ(testing::snapcube(command(200, "-q")).code, 0);
  const auto whole = contents();
  ASSERT_EQ(whole.size(), static_cast<std::size_t>(kFrames));
  fs::remove_all(cubes_);
  int killed = 0;
  for (const std::size_t enough : {2, 5, 8}) {
    const pid_t run = start(command(200));
    wait_for(enough);
    ::kill(run, SIGKILL);
    killed += code_of(run) == 128 + SIGKILL;
    for (const auto& [name, content] : contents()) {
      if (!name.starts_with('.')) {
        EXPECT_EQ(content, whole.at(name)) << name;
      }
    }
  }
  EXPECT_GT(killed, 0);
  testing::write_file(cubes_ + "/.f11.AbCdEf.npy", "half");  // as a kill in the middle of writing leaves it
  testing::write_file(cubes_ + "/.mine.AbCdEf.npy", "somebody else's");
  const Result last = testing::snapcube(command(200, "--summary " + summary_));
  EXPECT_EQ(last.code, 0) << last.output;
  EXPECT_TRUE(contains(last.output, "of 12 cubes are done already")) << last.output;
  auto left = contents();
  EXPECT_EQ(left.erase(".mine.AbCdEf.npy"), 1u);
  EXPECT_TRUE(left == whole);
  // What was noted was not made again; a cube that was renamed just before a kill may have been.
  int twice = 0;
  for (const auto& [name, times] : made()) twice += times > 1;
  EXPECT_EQ(twice, 0);
  EXPECT_EQ(std::ranges::count(file_content(summary_), '\n'), kFrames + 1);
}

TEST_F(Many, CtrlCLeavesWholeCubesAndGoesOn) {
  make_frames(8);
  const pid_t run = start(command(600));
  wait_for(2);
  ::kill(run, SIGINT);
  EXPECT_EQ(code_of(run), 130);
  EXPECT_TRUE(contains(file_content(folder_ / "log"), "the same command goes on there"));
  for (const auto& entry : fs::directory_iterator(cubes_)) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(read_cube(entry.path().string()).bands(), 4);
    }
  }
  EXPECT_LT(cubes(), 8u);
  EXPECT_EQ(testing::snapcube(command(600)).code, 0);
  EXPECT_EQ(cubes(), 8u);
}

TEST_F(Many, EachRankTakesItsShareAndADeadOneLeavesIts) {
  constexpr int kFrames = 13;
  constexpr int kRanks = 4;
  make_frames(kFrames);
  const auto variables = [](int rank) {
    return std::map<std::string, std::string>{{"SLURM_JOB_ID", "1"},
                                              {"SLURM_STEP_ID", "0"},
                                              {"SLURM_PROCID", std::to_string(rank)},
                                              {"SLURM_NTASKS", std::to_string(kRanks)}};
  };
  const std::string call = command(60, "--summary " + summary_);
  std::vector<pid_t> ranks;
  for (int r = 0; r < kRanks; ++r) {
    ranks.push_back(start(call, variables(r)));
    if (r == 2) ::kill(ranks.back(), SIGKILL);
  }
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(code_of(ranks[static_cast<std::size_t>(r)]), r == 2 ? 128 + SIGKILL : 0);
  for (int i = 0; i < kFrames; ++i) EXPECT_EQ(fs::exists(cube(i)), i % kRanks != 2) << i;
  EXPECT_FALSE(fs::exists(summary_));
  EXPECT_TRUE(contains(file_content(folder_ / "log"), "3 frames are left to others"));

  // The next run, of two processes that torchrun might have started, does what is left.
  ranks.clear();
  for (const char* rank : {"0", "1"}) ranks.push_back(start(call, {{"RANK", rank}, {"WORLD_SIZE", "2"}}));
  for (const pid_t rank : ranks) EXPECT_EQ(code_of(rank), 0) << file_content(folder_ / "log");
  EXPECT_EQ(cubes(), static_cast<std::size_t>(kFrames));
  for (const auto& [name, times] : made()) EXPECT_EQ(times, 1) << name;
  EXPECT_EQ(std::ranges::count(file_content(summary_), '\n'), kFrames + 1);
  EXPECT_FALSE(contains(file_content(summary_), "left"));

  // The same bytes as by one process.
  const auto shared = contents();
  fs::remove_all(cubes_);
  ASSERT_EQ(testing::snapcube(command(60)).code, 0);
  EXPECT_TRUE(contents() == shared);
}

TEST_F(Many, AShareIsWorkedOnByOneProcess) {
  make_frames(3);
  const pid_t run = start(command(20000));
  for (int i = 0; i < 3000 && !fs::exists(cubes_ + "/.snapcube"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it locks its journal right after making it
  const Result second = testing::snapcube(command(20000));
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(contains(second.output, "another run is at work there")) << second.output;
  ::kill(run, SIGINT);
  EXPECT_EQ(code_of(run), 130);
}

TEST_F(Many, AFullDiskEndsTheRunAtOnce) {
  make_frames(8);
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  const auto before = contents();
  // Cubes are 16 kB; the journal still fits.
  const Result full = testing::run(fmt::format("trap '' XFSZ; ulimit -f 8; {} {}", SNAPCUBE_PROGRAM, command(3)));
  EXPECT_EQ(full.code, 1) << full.output;
  EXPECT_TRUE(contains(full.output, "cannot write")) << full.output;
  EXPECT_TRUE(contains(full.output, "0 of 8 frames done")) << full.output;
  EXPECT_TRUE(contents() == before);
}

TEST_F(Many, MemoryDoesNotGrowWithTheNumberOfFrames) {
  const Camera camera(random_mask(128, 128, MaskKind::binary, 0.5, 1), {.bands = 28, .step = 2});
  write_mask(camera.mask(), mask_);
  const Image shot = camera.forward(testing::random_cube(28, 128, 128, 1));
  const auto peak = [&](int first, int last) {
    for (int i = first; i < last; ++i) write_measurement(shot, frame(i));
    const Result done = testing::snapcube(fmt::format(
        "reconstruct {} --mask {} --method gap-tv --iterations 1 --format npy -o {} --json -q --threads 1 --again",
        shots_, mask_, cubes_));
    EXPECT_EQ(done.code, 0) << done.output;
    return nlohmann::json::parse(done.output)["peak_memory_mb"].get<double>();
  };
  const double few = peak(0, 6);
  const double many = peak(6, 60);
  EXPECT_LT(many, few + 8);  // a cube is 1.8 MB: 54 more would be 99 MB
}

TEST_F(Many, Hdf5IsReadAndWrittenAtTheSameTime) {
  make_frames(10, ".h5");
  const Result done = testing::snapcube(
      fmt::format("reconstruct {} --mask {} --bands 4 --step 1 --method gap-tv --iterations 2 --format h5 -o {}",
                  shots_, mask_, cubes_));
  ASSERT_EQ(done.code, 0) << done.output;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(read_cube(cube(i, ".h5")).bands(), 4);
}

TEST_F(Many, NumberedPicturesAndFilesWithoutAHeaderAreFrames) {
  for (int i = 0; i < 4; ++i) {
    Image shot = camera_.forward(testing::random_cube(4, 32, 32, static_cast<std::uint64_t>(i)));
    for (float& v : shot.values()) v /= 8;
    write_measurement(shot, frame(i, ".png"), {.type = SampleType::u16});
  }
  ASSERT_EQ(testing::snapcube(command(2)).code, 0);
  EXPECT_EQ(cubes(), 4u);
  fs::remove_all(shots_);
  fs::remove_all(cubes_);
  fs::create_directory(shots_);
  for (int i = 0; i < 3; ++i) testing::write_file(frame(i, ".raw"), std::string(32 * 35 * 2, static_cast<char>(i + 1)));
  const Result raw = testing::snapcube(command(2, "--raw 35x32:u16le"));
  ASSERT_EQ(raw.code, 0) << raw.output;
  EXPECT_TRUE(fs::exists(cube(2)));
  // What is assumed of counts is said once.
  const auto first = raw.output.find("counts of which nothing is known");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(raw.output.find("counts of which nothing is known", first + 1), std::string::npos) << raw.output;
}

TEST_F(Many, BadOptionsAreNamedAndNothingIsMade) {
  make_frames(2);
  const Result name = testing::snapcube(command(2, "--summary x.txt"));
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(contains(name.output, ".csv or .json")) << name.output;
  const Result rank = testing::run("RANK=4 WORLD_SIZE=4 " + std::string(SNAPCUBE_PROGRAM) + " " + command(2));
  EXPECT_EQ(rank.code, 2);
  EXPECT_TRUE(contains(rank.output, "RANK: expected below WORLD_SIZE, 4, found 4")) << rank.output;
  EXPECT_FALSE(fs::exists(cubes_ + "/.snapcube"));
  const Result empty =
      testing::snapcube(fmt::format("reconstruct {} --mask {} -o {} --method gap-tv", folder_ / "none", mask_, cubes_));
  EXPECT_EQ(empty.code, 2);
}

}  // namespace
}  // namespace snapcube
