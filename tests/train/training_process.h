#pragma once
// snapcube-train as a process of its own, and a training small enough for a test.

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <snapcube/io.h>
#include <snapcube/mask.h>
#include <snapcube/scene.h>

#include "commands/run.h"
#include "support.h"
#include "train/checkpoints.h"

namespace snapcube::testing {

class TrainingProcess {
 public:
  /// `arguments` as in a shell; `environment` are assignments ("RANK=0 WORLD_SIZE=2").
  TrainingProcess(const std::string& arguments, const std::string& output, const std::string& environment = "")
      : output_(output) {
    const std::string command =
        "exec env OMP_WAIT_POLICY=passive " + environment + " " + SNAPCUBE_TRAIN_PROGRAM + " " + arguments;
    pid_ = ::fork();
    if (pid_ == 0) {
      const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(file, 1);
      ::dup2(file, 2);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~TrainingProcess() {
    if (pid_ > 0) {
      send(SIGKILL);
      wait();
    }
  }
  TrainingProcess(const TrainingProcess&) = delete;
  TrainingProcess& operator=(const TrainingProcess&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }
  /// The exit code, or 128 + signal.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string output() const { return file_content(output_); }

 private:
  std::string output_;
  pid_t pid_ = -1;
};

/// Two scenes of 4 bands and a mask, and the options for a network of some thousand parameters on them.
class TinyTraining {
 public:
  TinyTraining() {
    std::filesystem::create_directory(folder / "scenes");
    write(random_smooth(1), folder / "scenes/first.hdr");
    write(random_smooth(2), folder / "scenes/second.hdr");
    write_mask(random_mask(), folder / "mask.npy");
  }

  static constexpr const char* kModel = "--bands 4 --blocks 1,1,1 --wavelengths 500:20:4";
  std::string options(const std::string& run, const std::string& model = kModel) const {
    return model + " --window 4 --bucket 4 --crop 32 --batch 2 --threads 1 --data " + folder / "scenes" + " --mask " +
           folder / "mask.npy" + " --run " + folder / run;
  }

  TemporaryFolder folder;

 private:
  static Cube random_smooth(std::uint64_t seed) {
    Cube cube(4, 40, 48);
    Random random(seed);
    const double fx = random.uniform(0.1, 0.4);
    const double fy = random.uniform(0.1, 0.4);
    for (int b = 0; b < 4; ++b) {
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < 48; ++x) {
          cube(b, y, x) = static_cast<float>(0.5 + 0.3 * std::sin(fx * x + 0.5 * b) * std::cos(fy * y));
        }
      }
    }
    cube.wavelengths = {500, 520, 540, 560};
    return cube;
  }
  static Image random_mask() {
    Image mask(32, 32);
    Random random(3);
    for (float& v : mask.values()) v = random.uniform() < 0.5 ? 0.0f : 1.0f;
    return mask;
  }
};

inline bool wait_for_a_checkpoint(const std::string& run) {
  const Checkpoints checkpoints(std::filesystem::path(run) / "checkpoints", 0);
  for (int i = 0; i < 6000; ++i) {
    if (!checkpoints.all().empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// The command's exit code; its output is shown when it is not the expected one.
inline std::string train(const TinyTraining& tiny, const std::string& arguments, int expected = 0,
                         const std::string& environment = "") {
  TrainingProcess process(arguments, tiny.folder / "output.txt", environment);
  const int code = process.wait();
  const std::string output = process.output();
  EXPECT_EQ(code, expected) << arguments << "\n" << output;
  return output;
}

}  // namespace snapcube::testing
