#pragma once
// Which scenes a run is trained on.

#include <string>
#include <vector>

#include "train/config.h"

namespace snapcube {

struct SceneFile {
  std::string location;  ///< what read_cube takes
  std::string name;      ///< the stem
};

/// The scenes of config.data without config.exclude, in the order of `data` and sorted by name inside a folder.
std::vector<SceneFile> find_scenes(const TrainConfig& config);

/// Text that differs when prepared scenes would differ: names, sizes and times of the files, and the wavelengths. The
/// folder the scenes lie in is not part of it.
std::string scenes_key(const std::vector<SceneFile>& scenes, const CstConfig& model);

}  // namespace snapcube
