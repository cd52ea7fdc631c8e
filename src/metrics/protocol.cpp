#include <array>
#include <cstdint>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/metrics.h>

#include "base/text.h"
#include "metrics/common.h"

namespace snapcube {

Protocol parse_protocol(std::string_view name) {
  for (const Protocol protocol : {Protocol::toolbox, Protocol::uint8, Protocol::float32}) {
    if (name == to_string(protocol)) return protocol;
  }
  throw InputError(fmt::format("protocol '{}'", name), "", "toolbox, uint8 or float", "none of them");
}

std::string to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::toolbox:
      return "toolbox";
    case Protocol::uint8:
      return "uint8";
    case Protocol::float32:
      return "float";
  }
  return {};
}

void check_same_shape(const Cube& image, const Cube& truth) {
  const std::array<std::int64_t, 3> a{image.bands(), image.height(), image.width()};
  const std::array<std::int64_t, 3> b{truth.bands(), truth.height(), truth.width()};
  if (a != b) {
    throw InputError("image", "bands × height × width", fmt::format("{} as in the truth", shape_text(b)),
                     shape_text(a));
  }
  if (image.empty()) throw InputError("image", "", "at least one value", shape_text(a));
}

}  // namespace snapcube
