#include "calibration/detector_frames.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "calibration/frame_reader.h"
#include "calibration/photon_transfer.h"

namespace snapcube {

namespace {

/// So many captures, each with another part of the mask before a pixel, that none stays dark in all by chance.
constexpr std::size_t kManyCaptures = 24;
/// Under even light, and under patterned light.
constexpr double kDeadEven = 0.5;
constexpr double kDeadPattern = 0.15;
constexpr double kMostSaturated = 0.5;

double mean_of(const Image& image, const Image& bad) {
  double sum = 0;
  double n = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (!bad.empty() && bad.data()[i] != 0) continue;
    sum += image.data()[i];
    n += 1;
  }
  return n > 0 ? sum / n : 0;
}

void check_brighter(const std::string& file, const Image& counts, const DetectorFrames& frames) {
  const double mean = mean_of(counts, frames.bad);
  const double black = mean_of(frames.dark, frames.bad);
  if (mean > black) return;
  throw InputError(file, "brightness", fmt::format("above the dark frames' mean of {:.4g} counts", black),
                   fmt::format("{:.4g} counts", mean));
}

Image minus(Image counts, const Image& dark) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts.data()[i] -= dark.data()[i];
  return counts;
}

/// 0 where bad or full.
Image good_pixels(const Image& counts, const Image& bad, double saturation) {
  Image good(counts.height(), counts.width(), 1.0f);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (bad.data()[i] != 0 || (saturation > 0 && counts.data()[i] >= saturation)) good.data()[i] = 0;
  }
  return good;
}

/// Of the pixels that are lit, those that are full.
double saturated_share(const Image& counts, const DetectorFrames& frames, double saturation) {
  if (!(saturation > 0)) return 0;
  double full = 0;
  double lit = 0;
  const double half = 0.5 * (saturation + frames.finding.black_level);
  double brightest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (frames.bad.data()[i] == 0) brightest = std::max(brightest, static_cast<double>(counts.data()[i]));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (frames.bad.data()[i] != 0) continue;
    full += counts.data()[i] >= saturation;
    lit += counts.data()[i] > half;
  }
  return lit > 0 ? full / lit : 0;
}

/// Frames of each exposure, in the order of the list.
std::vector<std::vector<ExposureFrame>> groups_of(const std::vector<ExposureFrame>& frames) {
  std::vector<std::vector<ExposureFrame>> groups;
  for (const ExposureFrame& frame : frames) {
    if (groups.empty() || groups.back().front().exposure != frame.exposure) groups.emplace_back();
    groups.back().push_back(frame);
  }
  return groups;
}

void add_bad(DetectorFrames& frames, const Image& dead) {
  for (std::size_t i = 0; i < dead.size(); ++i) {
    if (dead.data()[i] == 0 || frames.bad.data()[i] != 0) continue;
    frames.bad.data()[i] = 1;
    ++frames.finding.dead;
  }
}

}  // namespace

Image dead_pixels(const Image& light, const Image& good, double share) {
  constexpr int kReach = 2;
  double mean = 0;
  double n = 0;
  for (std::size_t i = 0; i < light.size(); ++i) {
    if (good.data()[i] == 0 || !(light.data()[i] > 0)) continue;
    mean += light.data()[i];
    n += 1;
  }
  mean /= std::max(n, 1.0);
  Image dead(light.height(), light.width());
  std::vector<float> around;
  for (int y = 0; y < light.height(); ++y) {
    for (int x = 0; x < light.width(); ++x) {
      if (good(y, x) == 0 || light(y, x) > share * mean) continue;
      around.clear();
      for (int r = std::max(0, y - kReach); r <= std::min(light.height() - 1, y + kReach); ++r) {
        for (int c = std::max(0, x - kReach); c <= std::min(light.width() - 1, x + kReach); ++c) {
          if ((r != y || c != x) && good(r, c) != 0) around.push_back(light(r, c));
        }
      }
      if (around.size() < 12) continue;
      // Of the neighbours the darker ones too must be lit: at the mask's edge they are not.
      const auto low = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 5);
      std::ranges::nth_element(around, low);
      if (*low > 0.5 * mean && light(y, x) < share * *low) dead(y, x) = 1;
    }
  }
  return dead;
}

DetectorFrames read_detector_frames(const CalibrationInput& input, const CalibrationOptions& options,
                                    const std::function<void(double)>& told) {
  DetectorFrames result;
  FrameReader reader(options.read, options.raw);
  const double steps = static_cast<double>(input.dark.size() + 2 * input.exposures.size() + input.captures.size() +
                                           input.white.size() + 1);
  double done = 0;
  const auto step = [&] { told(++done / steps); };

  // The first capture says which size all have.
  std::vector<Image> counts;
  for (const NarrowCapture& capture : input.captures) {
    counts.push_back(reader.read(capture.location));
    step();
  }
  DarkFrames dark_frames;
  for (const std::string& location : input.dark) {
    for (const std::string& frame : reader.frames(location)) dark_frames.add(reader.read(frame));
    step();
  }
  const DarkFinding dark = dark_frames.finding();
  DetectorFinding& found = result.finding;
  found.black_level = dark.black_level;
  found.dark_frames = dark.frames;
  found.dark_noise = dark.noise;
  found.pattern = dark.pattern;
  found.hot = dark.hot_count;
  result.bad = dark.hot;
  result.dark =
      dark.pattern ? dark.mean : Image(dark.mean.height(), dark.mean.width(), static_cast<float>(dark.black_level));
  // A hot pixel's own dark count would make it good where it is not.
  for (std::size_t k = 0; k < counts.size(); ++k) check_brighter(input.captures[k].location, counts[k], result);

  std::vector<Image> white;
  for (const std::string& location : input.white) {
    for (const std::string& frame : reader.frames(location)) {
      white.push_back(reader.read(frame));
      check_brighter(frame, white.back(), result);
    }
    step();
  }
  if (!input.mask_picture.empty()) {
    Image picture = reader.read(input.mask_picture);
    check_brighter(input.mask_picture, picture, result);
    result.picture = minus(std::move(picture), result.dark);
  }
  const std::vector<std::vector<ExposureFrame>> groups = groups_of(input.exposures);
  for (const ExposureFrame& frame : input.exposures) {
    for (const std::string& page : reader.frames(frame.location)) check_brighter(page, reader.read(page), result);
    step();
  }
  result.counts = reader.counts();
  found.saturation = options.saturation.value_or(reader.saturation());

  // The photon transfer, and dead pixels under its brightest light that fills no pixel.
  Image brightest;
  double most = 0;
  const Image usable = good_pixels(result.dark, result.bad, 0);
  for (const std::vector<ExposureFrame>& group : groups) {
    std::vector<Image> frames;
    for (const ExposureFrame& frame : group) {
      for (const std::string& page : reader.frames(frame.location)) frames.push_back(reader.read(page));
      step();
    }
    if (frames.size() < 2) {
      throw InputError(group.front().location, fmt::format("exposure '{}'", group.front().exposure),
                       "at least two frames, to tell noise from pattern", "one");
    }
    found.levels.push_back(exposure_level(frames, result.dark, usable, found.saturation, group.front().exposure));
    const ExposureLevel& level = found.levels.back();
    if (level.saturated < 1e-3 && level.signal > most) {
      most = level.signal;
      brightest = minus(frames.front(), result.dark);
    }
  }
  if (!groups.empty()) {
    const double pixels = static_cast<double>(result.dark.size()) * (dark.frames - 1);
    const PhotonTransfer transfer =
        photon_transfer(found.levels, dark.noise * dark.noise, pixels, result.counts, input.exposures.front().location);
    found.gain = transfer.gain;
    found.gain_error = transfer.gain_error;
    found.read_noise = transfer.read_noise;
    if (found.saturation > 0) found.full_well = (found.saturation - found.black_level) * found.gain;
  }
  if (!white.empty()) {
    result.white = Image(white.front().height(), white.front().width());
    for (const Image& frame : white) {
      for (std::size_t i = 0; i < frame.size(); ++i) {
        result.white.data()[i] += (frame.data()[i] - result.dark.data()[i]) / static_cast<float>(white.size());
      }
    }
  }
  if (!brightest.empty()) {
    add_bad(result, dead_pixels(brightest, usable, kDeadEven));
  } else if (!white.empty()) {
    add_bad(result, dead_pixels(result.white, usable, kDeadPattern));
  } else if (counts.size() >= kManyCaptures) {
    Image sum(result.dark.height(), result.dark.width());
    for (const Image& frame : counts) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += frame.data()[i] - result.dark.data()[i];
    }
    add_bad(result, dead_pixels(sum, usable, kDeadPattern));
  }
  if (!white.empty()) {
    result.white_good = good_pixels(result.dark, result.bad, 0);
    for (const Image& frame : white) {
      const Image good = good_pixels(frame, result.bad, found.saturation);
      for (std::size_t i = 0; i < good.size(); ++i) result.white_good.data()[i] *= good.data()[i];
    }
  }
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double share = saturated_share(counts[k], result, found.saturation);
    if (share > kMostSaturated) {
      throw InputError(input.captures[k].location, "pixels",
                       fmt::format("at most half of the lit ones full, at {:g} counts", found.saturation),
                       fmt::format("{:.0f} %", 100 * share));
    }
    result.saturated.push_back(share);
    result.good.push_back(good_pixels(counts[k], result.bad, found.saturation));
    result.captures.push_back(minus(std::move(counts[k]), result.dark));
  }
  return result;
}

}  // namespace snapcube
