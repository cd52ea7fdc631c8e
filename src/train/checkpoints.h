#pragma once
// The checkpoints of a run, by number of steps: checkpoints/step-00001000.safetensors.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "train/state.h"

namespace snapcube {

class Checkpoints {
 public:
  /// keep_every: multiples of it are never removed; 0: none.
  Checkpoints(std::filesystem::path folder, std::int64_t keep_every);

  /// Steps → files, of those that are there.
  std::map<std::int64_t, std::filesystem::path> all() const;
  /// The file of the most steps; empty if there is none.
  std::string newest() const;
  /// Writes one, then removes all but the last two and those to keep. Returns its path.
  std::filesystem::path save(const TrainState& state);
  /// Reads the newest. One that cannot be read is passed over with a warning; throws InputError when none is left.
  std::filesystem::path load_newest(TrainState& state) const;

 private:
  std::filesystem::path folder_;
  std::int64_t keep_every_;
};

}  // namespace snapcube
