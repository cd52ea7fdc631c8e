#pragma once
// Which scenes a run is trained on.

#include <string>
#include <vector>

#include <snapcube/array.h>

#include "samples/config.h"

namespace snapcube {

struct SceneFile {
  std::string location;  ///< what read_cube takes
  std::string name;      ///< the stem
};

/// The scenes of config.data without config.exclude, in the order of `data` and sorted by name inside a folder.
std::vector<SceneFile> find_scenes(const TrainConfig& config);

/// A scene at the model's wavelengths. One without wavelengths, or for a model without them, must have the model's band
/// count.
Cube read_scene(const std::string& location, const ModelConfig& model);

/// Text that differs when prepared scenes would differ: names, sizes and times of the files, and the wavelengths. The
/// folder the scenes lie in is not part of it.
std::string scenes_key(const std::vector<SceneFile>& scenes, const ModelConfig& model);

}  // namespace snapcube
