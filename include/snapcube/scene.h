#pragma once
/// Synthetic scenes: procedural, seeded, of any size and on any wavelength grid in 380 … 780 nm. Made so
/// that spectral and spatial errors of a reconstruction can be seen.
///
/// Thread safety: any thread may call these functions at any time.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/spectrum.h>

namespace snapcube {

struct SceneOptions {
  int height = 256;
  int width = 256;
  std::vector<double> wavelengths = published_wavelengths();
  std::uint64_t seed = 1;
};

struct SceneKind {
  std::string name;
  std::string description;
};

/// "chart", "still-life", "texture", "resolution".
const std::vector<SceneKind>& scene_kinds();

/// Reflectance in [0,1]. Throws InputError for an unknown name (the message lists the known ones).
Cube make_scene(std::string_view name, const SceneOptions& options = {});

}  // namespace snapcube
