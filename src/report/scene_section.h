#pragma once
// The part of a report that shows one scene, or one capture of which nobody knows the truth.

#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/metrics.h>

namespace snapcube {

struct SceneResult {
  std::string method;
  std::size_t number = 0;  ///< of the method in the report: the same colour in every scene
  Cube cube;
  std::optional<Scores> scores = std::nullopt;  ///< against the truth
  std::string sparsity_png = {};                ///< bytes of a picture of the sparsity map; empty if there is none
  std::optional<double> misfit = std::nullopt;  ///< see Camera::misfit
};

struct SceneContent {
  std::string name;
  std::optional<Cube> truth = std::nullopt;
  std::optional<Image> measurement = std::nullopt;
  std::vector<SceneResult> results = {};  ///< at least one
  std::vector<Region> regions = {};       ///< whose spectra are plotted
  Region detail = {};                     ///< what is zoomed into
  std::vector<int> bands = {};            ///< that are shown one by one
  std::string note = {};                  ///< a sentence about the pictures
  /// What decides on exposure, wavelengths and picked regions: the truth, or the first method's cube.
  const Cube& reference() const { return truth ? *truth : results.front().cube; }
};

/// Numbers of four bands, evenly spread.
std::vector<int> spread_bands(int bands, int count);

std::string scene_section(const SceneContent& scene);

}  // namespace snapcube
