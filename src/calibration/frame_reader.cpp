#include "calibration/frame_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

double pile_of(const Image& counts) {
  constexpr double kFewPixels = 20;
  constexpr double kTimes = 8;
  float most = -1e30f;
  double mean = 0;
  for (const float v : counts.values()) {
    most = std::max(most, v);
    mean += v;
  }
  mean /= static_cast<double>(counts.size());
  const double below = std::max(4.0, std::floor(0.01 * (most - mean)));
  double at = 0;
  double near = 0;
  for (const float v : counts.values()) {
    at += v == most;
    near += v < most && v >= most - below;
  }
  return at >= kFewPixels && at > kTimes * near / below ? most : 0;
}

Image FrameReader::read(const std::string& location) {
  RawImage raw = raw_ ? read_raw(location, *raw_) : read_raw(location, options_);
  if (first_.empty()) {
    first_ = location;
    height_ = raw.counts.height();
    width_ = raw.counts.width();
  }
  if (raw.counts.height() != height_ || raw.counts.width() != width_) {
    throw InputError(location, "size", fmt::format("{}, that of {}", shape_text(height_, width_), first_),
                     shape_text(raw.counts.height(), raw.counts.width()));
  }
  counts_ = counts_ && raw.integer;
  largest_ = std::max(largest_, raw.largest);
  brightest_ = std::max(brightest_, static_cast<double>(std::ranges::max(raw.counts.values())));
  pile_ = std::max(pile_, pile_of(raw.counts));
  return std::move(raw.counts);
}

std::vector<std::string> FrameReader::frames(const std::string& location) const {
  if (raw_) return {location};
  const std::int64_t count = count_frames(location, options_);
  if (count < 2) return {location};
  const auto slash = location.rfind('/');
  const bool named = location.find(':', slash == std::string::npos ? 0 : slash) != std::string::npos;
  std::vector<std::string> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(fmt::format("{}{}[{}]", location, named ? "" : ":", i));
  return result;
}

}  // namespace snapcube
