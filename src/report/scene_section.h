#pragma once
// The part of a report that shows one scene.

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
  Scores scores;
  std::string sparsity_png = {};  ///< bytes of a picture of the sparsity map; empty if there is none
};

struct SceneContent {
  std::string name;
  Cube truth;
  std::optional<Image> measurement;
  std::vector<SceneResult> results;
  std::vector<Region> regions;  ///< whose spectra are plotted
  Region detail;                ///< what is zoomed into
  std::vector<int> bands;       ///< that are shown one by one
};

/// Numbers of four bands, evenly spread.
std::vector<int> spread_bands(int bands, int count);

std::string scene_section(const SceneContent& scene);

}  // namespace snapcube
