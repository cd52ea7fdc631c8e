#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/scene.h>

#include "base/text.h"
#include "optics/scene_mixing.h"

namespace snapcube {
namespace {

struct Maker {
  SceneKind kind;
  Cube (*make)(const SceneOptions&);
};

const std::vector<Maker>& makers() {
  static const std::vector<Maker> kMakers = {
      {{"chart", "24 patches with smooth spectra, and a strip of narrow bands"}, make_chart},
      {{"still-life", "shaded fruit, a cup, a cone and a cloth on a dark table"}, make_still_life},
      {{"texture", "nine materials: cloth, wood, stone, leather and others"}, make_texture},
      {{"resolution", "fine text, a star, line pairs and bars in several colours"}, make_resolution},
  };
  return kMakers;
}

void check(const SceneOptions& options) {
  if (options.height < 1 || options.width < 1) {
    throw InputError("scene", "size", "at least 1×1", shape_text(options.height, options.width));
  }
  if (options.wavelengths.empty()) throw InputError("scene", "wavelengths", "at least one", "none");
  for (const double nm : options.wavelengths) {
    if (!(nm >= 380 && nm <= 780)) {
      throw InputError("scene", "wavelengths", "380 to 780 nm", fmt::format("{} nm", nm));
    }
  }
}

}  // namespace

const std::vector<SceneKind>& scene_kinds() {
  static const std::vector<SceneKind> kKinds = [] {
    std::vector<SceneKind> kinds;
    for (const Maker& m : makers()) kinds.push_back(m.kind);
    return kinds;
  }();
  return kKinds;
}

Cube make_scene(std::string_view name, const SceneOptions& options) {
  std::string known;
  for (const Maker& m : makers()) {
    if (m.kind.name == name) {
      check(options);
      return m.make(options);
    }
    known += (known.empty() ? "" : ", ") + m.kind.name;
  }
  throw InputError("scene", "", "one of " + known, fmt::format("'{}'", name));
}

}  // namespace snapcube
