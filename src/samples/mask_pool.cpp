#include "samples/mask_pool.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>
#include <snapcube/mask.h>

#include "base/text.h"
#include "samples/orientation.h"

namespace snapcube {

namespace {

Image read_usable_mask(const std::string& file, int height, int width) {
  Image mask = read_mask(file);
  if (mask.height() < height || mask.width() < width) {
    throw InputError(file, "mask", fmt::format("at least {}, the crop", shape_text(height, width)),
                     shape_text(mask.height(), mask.width()));
  }
  const MaskReport report = inspect_mask(mask);
  if (!report.usable) {
    throw InputError(file, "mask", "a usable mask", fmt::format("{}", fmt::join(report.findings, " ")));
  }
  for (const std::string& finding : report.findings) log_warning(fmt::format("{}: {}", file, finding));
  return mask;
}

void check_source(const MaskSource& source) {
  const auto refuse = [](const char* field, const char* expected, double found) {
    throw InputError("training configuration", fmt::format("masks: {}", field), expected, fmt::format("{}", found));
  };
  if (!(source.blur >= 0 && source.blur <= 100)) refuse("blur", "0 … 100 pixels", source.blur);
  if (source.kind == MaskSource::Kind::file) {
    if (source.file.empty())
      throw InputError("training configuration", "masks: file", "the name of a mask file", "none");
    return;
  }
  if (!(source.low > 0 && source.low < 1)) refuse("low", "a density between 0 and 1", source.low);
  if (!(source.high >= source.low && source.high < 1)) {
    refuse("high", "a density from that of 'low' to below 1", source.high);
  }
}

std::vector<double> weights_of(const std::vector<MaskSource>& sources) {
  std::vector<double> weights;
  for (const MaskSource& source : sources) weights.push_back(source.weight);
  return weights;
}

Image draw_from_file(const Image& mask, int height, int width, bool flips, Random& random) {
  const auto window = Window::draw(random, mask.height(), mask.width(), height, width, flips);
  Image result(height, width);
  copy_oriented(mask.row(window.top) + window.left, mask.width(), height, width, window.orientation, result.data(),
                width, [](float v) { return v; });
  return result;
}

/// Along rows; the result is transposed.
Image blurred_rows(const Image& image, const std::vector<float>& weights) {
  const int radius = static_cast<int>(weights.size()) - 1;
  Image result(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    const float* row = image.row(y);
    for (int x = 0; x < image.width(); ++x) {
      float sum = 0;
      float total = 0;
      for (int k = std::max(-radius, -x); k <= std::min(radius, image.width() - 1 - x); ++k) {
        const float weight = weights[static_cast<std::size_t>(std::abs(k))];
        sum += weight * row[x + k];
        total += weight;
      }
      result(x, y) = sum / total;
    }
  }
  return result;
}

}  // namespace

Image blurred(const Image& image, double sigma) {
  // Below this, a neighbour's weight is under 1e-5.
  if (sigma < 0.2) return image;
  std::vector<float> weights;
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  for (int k = 0; k <= radius; ++k) weights.push_back(static_cast<float>(std::exp(-0.5 * k * k / (sigma * sigma))));
  return blurred_rows(blurred_rows(image, weights), weights);
}

MaskPool::MaskPool(const std::vector<MaskSource>& sources, int height, int width) : height_(height), width_(width) {
  if (sources.empty()) {
    throw InputError("training configuration", "masks", "at least one: a mask file, or random masks", "none");
  }
  choice_ = WeightedChoice(weights_of(sources), "masks: weight");
  for (const MaskSource& source : sources) {
    check_source(source);
    const bool file = source.kind == MaskSource::Kind::file;
    sources_.push_back({source, file ? read_usable_mask(source.file, height, width) : Image()});
  }
}

Image MaskPool::draw(Random& random) const { return draw_from(sources_[choice_.draw(random)], random); }

Image MaskPool::draw_first(Random& random) const { return draw_from(sources_.front(), random); }

Image MaskPool::draw_from(const Source& from, Random& random) const {
  const auto& [source, mask] = from;
  Image result;
  if (source.kind == MaskSource::Kind::file) {
    result = draw_from_file(mask, height_, width_, source.flips, random);
  } else {
    const MaskKind kind = source.kind == MaskSource::Kind::binary ? MaskKind::binary : MaskKind::grey;
    const double density = random.uniform(source.low, source.high);
    result = random_mask(height_, width_, kind, density, random.bits());
  }
  return source.blur > 0 ? blurred(result, random.uniform(0, source.blur)) : result;
}

}  // namespace snapcube
