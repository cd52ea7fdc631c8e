#include "render/preview_heading.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/metrics.h>

#include "base/text.h"
#include "render/appearance.h"

namespace snapcube {

namespace {

std::string range_text(const std::vector<double>& wavelengths) {
  const auto [low, high] = std::ranges::minmax(wavelengths);
  return low == high ? fmt::format("{:.4g} nm", low) : fmt::format("{:.4g}–{:.4g} nm", low, high);
}

}  // namespace

PreviewHeading preview_heading(const Cube& cube, const PreviewOptions& options, double exposure) {
  PreviewHeading heading;
  heading.title = options.title.empty() ? "Snapcube" : options.title;
  heading.facts = fmt::format("{} pixels · {} band{}", shape_text(cube.height(), cube.width()), cube.bands(),
                              cube.bands() == 1 ? "" : "s");
  if (has_colours(cube)) heading.facts += " · " + range_text(cube.wavelengths);
  heading.facts +=
      exposure == 1 ? " · white = 1" : fmt::format(" · exposure ×{:.3g}, white = {:.3g}", exposure, 1 / exposure);
  if (options.misfit && std::isfinite(*options.misfit)) {
    heading.facts += fmt::format(" · misfit {:.2g} %", 100 * *options.misfit);
  }
  if (options.truth) {
    heading.scores =
        fmt::format("PSNR {:.2f} dB  ·  SSIM {:.4f}", psnr(cube, *options.truth), ssim(cube, *options.truth));
    heading.protocol = to_string(Protocol::toolbox) + " protocol";
  }
  return heading;
}

}  // namespace snapcube
