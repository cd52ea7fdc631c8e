#include "samples/camera_variety.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "samples/lamp.h"
#include "samples/mask_pool.h"

namespace snapcube {

namespace {

bool happens(double share, Random& random) { return share > 0 && random.uniform() < share; }

/// Two ends of what changes along the bands, and values between them.
void mix_bands(const Image& first, const Image& last, const std::vector<double>& gains, Cube& masks) {
  const int bands = masks.bands();
  for (int b = 0; b < bands; ++b) {
    const auto t = static_cast<float>(bands > 1 ? static_cast<double>(b) / (bands - 1) : 0);
    const auto gain = static_cast<float>(gains[static_cast<std::size_t>(b)]);
    float* to = masks.row(b, 0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      to[i] = gain * ((1 - t) * first.values()[i] + t * last.values()[i]);
    }
  }
}

/// Smooth over the bands, the largest 1, the least `least` or more.
std::vector<double> smooth_gains(Random& random, int bands, double least) {
  const double start = random.uniform(least, 1);
  const double middle = random.uniform(least, 1);
  const double end = random.uniform(least, 1);
  std::vector<double> gains;
  for (int b = 0; b < bands; ++b) {
    const double t = bands > 1 ? static_cast<double>(b) / (bands - 1) : 0;
    gains.push_back((1 - t) * (1 - t) * start + 2 * t * (1 - t) * middle + t * t * end);
  }
  const double most = std::ranges::max(gains);
  for (double& g : gains) g /= most;
  return gains;
}

/// Of a lamp with lines that is known, as a white target shows it: the cube is then the scene without the lines.
std::vector<double> line_gains(Random& random, int bands) {
  constexpr double kLeast = 0.1;
  std::vector<double> gains;
  for (const float v : lamp_spectrum(random, bands)) gains.push_back(std::max<double>(v, kLeast));
  return gains;
}

void copy_to_bands(const Image& mask, Cube& masks) {
  for (int b = 0; b < masks.bands(); ++b) std::ranges::copy(mask.values(), masks.row(b, 0));
}

}  // namespace

std::vector<double> draw_positions(const CameraVariety& variety, Random& random, int bands, int step) {
  double distance = std::abs(step);
  if (happens(variety.dispersion, random)) {
    const double gaps = std::max(1, bands - 1);
    distance = random.uniform(variety.shortest, variety.longest) / gaps;
    if (random.below(2) == 0) distance = std::max(1.0, std::round(distance));
  }
  std::vector<double> positions;
  for (int b = 0; b < bands; ++b) positions.push_back(distance * b);
  return positions;
}

void bend_spectra(Random& random, Cube& cube) {
  constexpr double kMostBend = 0.2;
  const double bend = random.uniform(-kMostBend, kMostBend);
  const int last = cube.bands() - 1;
  if (last < 1) return;
  const Cube straight = cube;
  const std::size_t pixels = static_cast<std::size_t>(cube.height()) * static_cast<std::size_t>(cube.width());
  for (int c = 0; c <= last; ++c) {
    const double t = static_cast<double>(c) / last;
    const double at = std::clamp(c + bend * 4 * t * (1 - t) * last, 0.0, static_cast<double>(last));
    const int near = std::min(static_cast<int>(at), last - 1);
    const auto share = static_cast<float>(at - near);
    const float* low = straight.row(near, 0);
    const float* high = straight.row(near + 1, 0);
    float* to = cube.row(c, 0);
    for (std::size_t i = 0; i < pixels; ++i) to[i] = low[i] + share * (high[i] - low[i]);
  }
}

Image moved(const Image& image, double down, double right) {
  Image result(image.height(), image.width());
  const auto at = [&](int y, int x) {
    return image(std::clamp(y, 0, image.height() - 1), std::clamp(x, 0, image.width() - 1));
  };
  const int rows = static_cast<int>(std::floor(down));
  const int columns = static_cast<int>(std::floor(right));
  const auto fy = static_cast<float>(down - rows);
  const auto fx = static_cast<float>(right - columns);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const auto along = [&](int row) { return (1 - fx) * at(row, x - columns) + fx * at(row, x - columns - 1); };
      result(y, x) = (1 - fy) * along(y - rows) + fy * along(y - rows - 1);
    }
  }
  return result;
}

void draw_masks(const CameraVariety& variety, const Image& mask, Random& random, int bands, MaskPair& masks) {
  constexpr double kMostShift = 0.4;       // pixels
  constexpr double kMostBlur = 0.7;        // σ in pixels
  constexpr double kMostLeak = 0.06;       // light through closed pixels, of an open one's
  constexpr double kMostSaturation = 1.4;  // the assumed mask was overexposed by this
  constexpr double kLeastGain = 0.5;
  const bool per_band = happens(variety.per_band, random);
  const bool mismatch = happens(variety.mismatch, random);
  if (!per_band && !mismatch) {
    copy_to_bands(mask, masks.truth);
    copy_to_bands(mask, masks.assumed);
    return;
  }
  Image truth = mask;
  Image assumed = mask;
  if (mismatch) {
    truth = moved(truth, random.uniform(-kMostShift, kMostShift), random.uniform(-kMostShift, kMostShift));
    truth = blurred(truth, random.uniform(0, kMostBlur));
    const auto leak = static_cast<float>(random.uniform(0, kMostLeak));
    for (float& v : truth.values()) v = leak + (1 - leak) * v;
    if (random.below(2) == 0) {
      const auto factor = static_cast<float>(random.uniform(1, kMostSaturation));
      for (float& v : assumed.values()) v = std::min(1.0f, factor * v);
    }
  }
  if (!per_band) {
    copy_to_bands(truth, masks.truth);
    copy_to_bands(assumed, masks.assumed);
    return;
  }
  const double blur_first = random.uniform(0, kMostBlur);
  const double blur_last = random.uniform(0, kMostBlur);
  const std::vector<double> gains =
      random.below(2) == 0 ? smooth_gains(random, bands, kLeastGain) : line_gains(random, bands);
  mix_bands(blurred(truth, blur_first), blurred(truth, blur_last), gains, masks.truth);
  mix_bands(blurred(assumed, blur_first), blurred(assumed, blur_last), gains, masks.assumed);
}

void spoil_pixels(const CameraVariety& variety, Random& random, Image& measurement, Image& weights) {
  weights = Image();
  const auto need = [&] {
    if (weights.empty()) weights = Image(measurement.height(), measurement.width(), 1.0f);
  };
  const float most = *std::ranges::max_element(measurement.values());
  if (happens(variety.saturation, random)) {
    need();
    const auto level = static_cast<float>(most * random.uniform(0.5, 0.95));
    for (std::size_t i = 0; i < measurement.size(); ++i) {
      float& v = measurement.values()[i];
      if (v < level) continue;
      v = level;
      weights.values()[i] = 0;
    }
  }
  if (happens(variety.dead_pixels, random)) {
    need();
    const double share = 0.02 * random.uniform() * random.uniform();
    for (std::size_t i = 0; i < measurement.size(); ++i) {
      if (random.uniform() >= share) continue;
      measurement.values()[i] = random.below(2) == 0 ? 0.0f : most;
      weights.values()[i] = 0;
    }
  }
}

}  // namespace snapcube
