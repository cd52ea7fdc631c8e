#pragma once
// A training run is a folder:
//   config.toml              the configuration in effect
//   checkpoints/
//   log.jsonl                one JSON object a line
//   events.out.tfevents.*    the same for TensorBoard
//   previews/                pictures of the first validation scene
//   curve.png                dB over the steps
//   curve_hours.png          dB over the hours of one core
//   last.safetensors         the weights (averaged ones, if the run averages), ready to be used
//   best.safetensors         those of the best validation
//   lock                     held while a process trains in the folder

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/config.h"

namespace snapcube {

/// The only process that writes into the folder, until it ends, however it ends.
class RunFolder {
 public:
  /// A new run, with its config.toml. Throws InputError if the folder exists and is not empty.
  static RunFolder create(const std::filesystem::path& path, const TrainConfig& config);
  /// A run to go on with. Throws InputError if it is none.
  static RunFolder open(const std::filesystem::path& path);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_file() const { return path_ / "config.toml"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path previews() const { return path_ / "previews"; }
  std::filesystem::path log_file() const { return path_ / "log.jsonl"; }

  /// Appends a line to the log. It has a "step", and no line comes after one of a later step.
  void log(const nlohmann::ordered_json& line);
  /// Cuts the log before the first line of a later step, or the first that was not written to its end.
  void rewind_log(std::int64_t step);

 private:
  explicit RunFolder(std::filesystem::path path);
  void lock();
  void make_folders() const;

  std::filesystem::path path_;
  int lock_ = -1;
  int log_ = -1;
};

}  // namespace snapcube
