// From captures to a camera, step after step; each step has a file of its own.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <numbers>

#include <snapcube/calibration.h>
#include <snapcube/error.h>
#include <snapcube/version.h>

#include "base/text.h"
#include "calibration/alignment.h"
#include "calibration/band_gains.h"
#include "calibration/band_images.h"
#include "calibration/detector_frames.h"
#include "calibration/mask_scale.h"
#include "calibration/mask_window.h"
#include "calibration/phase_correlation.h"
#include "calibration/position_curve.h"
#include "calibration/registration.h"
#include "calibration/sampling.h"
#include "calibration/verdict.h"

namespace snapcube {

namespace {

constexpr int kFewestCaptures = 4;
/// Shading that changes over more pixels than this is not the mask's pattern.
constexpr double kShading = 6;
/// Neighbours whose patterns have less in common show different things, or nothing.
constexpr double kLeastCorrelation = 0.2;
/// A pattern that deviates less from its mean is none; and one that is so much weaker than the others'.
constexpr double kNoContrast = 0.01;
constexpr double kRelativeContrast = 0.05;
/// Rotation and scale that move no corner further are left alone.
constexpr double kLeastCorner = 0.2;
/// The mask's edge is no pattern.
constexpr int kEdge = 2;
constexpr double kLeastGain = 1e-3;

Image lit_pattern(const Image& light) {
  double mean = 0;
  for (const float v : light.values()) mean += v;
  mean /= static_cast<double>(light.size());
  double lit = 0;
  double n = 0;
  for (const float v : light.values()) {
    if (v <= mean) continue;
    lit += v;
    n += 1;
  }
  return pattern_of(light, kShading, std::max(1e-6, 0.15 * lit / std::max(n, 1.0)));
}

Region inside(const Region& window) {
  const int edge = std::min({kEdge, (window.height - 1) / 4, (window.width - 1) / 4});
  return {window.top + edge, window.left + edge, window.height - 2 * edge, window.width - 2 * edge};
}

double deviation(const Image& image, const Region& area) {
  double sum = 0;
  double squares = 0;
  for (int y = area.top; y < area.top + area.height; ++y) {
    for (int x = area.left; x < area.left + area.width; ++x) {
      sum += image(y, x);
      squares += static_cast<double>(image(y, x)) * image(y, x);
    }
  }
  const double n = static_cast<double>(area.height) * area.width;
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

/// How much of a mean pattern an image has: the factor of least squares. Both have mean 0, nearly.
double factor_of(const Image& mean, const Image& image) {
  double ab = 0;
  double aa = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    ab += static_cast<double>(mean.data()[i]) * image.data()[i];
    aa += static_cast<double>(mean.data()[i]) * mean.data()[i];
  }
  return aa > 0 ? ab / aa : 0;
}

/// What the mask shows in a capture, cut out at its edge, so that the edge is no pattern.
Image inner_pattern(const Image& frame, const Similarity& motion, const Place& centre, const Region& window) {
  Image inner(window.height, window.width);
  for (int y = 0; y < window.height; ++y) {
    for (int x = 0; x < window.width; ++x) {
      const Place at =
          motion.apply({static_cast<double>(window.left + x), static_cast<double>(window.top + y)}, centre);
      inner(y, x) = cubic(frame, at.x, at.y);
    }
  }
  return lit_pattern(inner);
}

/// "2026-11-18": when the newest of the files was written. The same files give the same bytes of a camera file.
std::string date_of(const std::vector<NarrowCapture>& captures) {
  std::optional<std::filesystem::file_time_type> newest;
  for (const NarrowCapture& capture : captures) {
    std::error_code status;
    const std::string& location = capture.location;
    const auto time = std::filesystem::last_write_time(location.substr(0, location.rfind(":[")), status);
    if (!status && (!newest || time > *newest)) newest = time;
  }
  if (!newest) return "unknown";
  const auto system = std::chrono::file_clock::to_sys(*newest);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

class Work {
 public:
  Work(const CalibrationInput& input, const CalibrationOptions& options, const CalibrationProgress& progress)
      : input_(input), options_(options), progress_(progress) {}

  Calibration run() {
    check_input();
    frames_ = read_detector_frames(input_, options_, part("reading", 0, 0.25));
    result_.detector = frames_.finding;
    align();
    find_window();
    measure();
    fit();
    make_masks();
    compare_picture();
    find_gains();
    fill_camera();
    judge(result_);
    return std::move(result_);
  }

 private:
  std::function<void(double)> part(const char* name, double from, double to) {
    return [this, name, from, to](double done) { tell(name, from + (to - from) * done); };
  }
  void tell(const std::string& step, double done) const {
    if (progress_ && !progress_(step, done)) throw Interrupted();
  }

  void check_input() {
    const auto n = static_cast<int>(input_.captures.size());
    if (n < kFewestCaptures) {
      throw InputError(n > 0 ? input_.captures.front().location : "captures", "wavelengths",
                       fmt::format("captures at {} at least, for a curve that can be checked", kFewestCaptures),
                       std::to_string(n));
    }
    for (int k = 0; k + 1 < n; ++k) {
      const NarrowCapture& a = input_.captures[static_cast<std::size_t>(k)];
      const NarrowCapture& b = input_.captures[static_cast<std::size_t>(k) + 1];
      if (a.wavelength < b.wavelength) continue;
      throw InputError(b.location, "wavelength", "ascending, each once",
                       fmt::format("{:g} nm after {:g} nm", b.wavelength, a.wavelength));
    }
    if (input_.dark.empty()) throw InputError("dark frames", "files", "at least one", "none");
    const double first = input_.captures.front().wavelength;
    const double last = input_.captures.back().wavelength;
    for (const double nm : options_.wavelengths) {
      if (nm >= first - 1e-6 && nm <= last + 1e-6) continue;
      throw InputError("wavelengths", "bands", fmt::format("inside of the captures' {:g} … {:g} nm", first, last),
                       fmt::format("{:g} nm", nm));
    }
    std::vector<double> sorted = options_.wavelengths;
    std::ranges::sort(sorted);
    if (const auto twin = std::ranges::adjacent_find(sorted); twin != sorted.end()) {
      throw InputError("wavelengths", "bands", "each once", fmt::format("{:g} nm twice", *twin));
    }
    for (const NarrowCapture& capture : input_.captures) captures_.wavelengths.push_back(capture.wavelength);
  }

  void align() {
    const std::size_t n = frames_.captures.size();
    for (std::size_t k = 0; k < n; ++k) {
      fill_bad(frames_.captures[k], frames_.good[k]);
      images_.push_back(smoothed(lit_pattern(frames_.captures[k]), kRegistrationSmoothing));
      tell("finding patterns", 0.25 + 0.1 * static_cast<double>(k + 1) / static_cast<double>(n));
    }
    Neighbours neighbours = compare_neighbours(images_, part("comparing neighbours", 0.35, 0.5));
    check_common_pattern(neighbours);
    double along = 0;
    double down = 0;
    for (const Similarity& motion : neighbours.motions) {
      along += motion.dx;
      down += motion.dy;
    }
    axis_ = options_.axis.value_or(std::fabs(down) > std::fabs(along) ? Axis::rows : Axis::columns);
    if (axis_ == Axis::rows) turn_over(neighbours);
    alignment_ = align_captures(images_, neighbours, part("aligning", 0.5, 0.65));
  }

  /// From here on the dispersion runs along the columns; the camera is turned back at the end.
  void turn_over(Neighbours& neighbours) {
    for (auto* images : {&frames_.captures, &frames_.good, &images_}) {
      for (Image& image : *images) image = transposed(image);
    }
    for (Image* image : {&frames_.dark, &frames_.bad, &frames_.white, &frames_.white_good, &frames_.picture}) {
      if (!image->empty()) *image = transposed(*image);
    }
    for (Similarity& motion : neighbours.motions) motion = {motion.dy, motion.dx, -motion.turn, motion.scale};
  }

  void check_common_pattern(const Neighbours& neighbours) const {
    const std::vector<double>& links = neighbours.correlations;
    for (std::size_t k = 0; k < input_.captures.size(); ++k) {
      const double before = k > 0 ? links[k - 1] : 0;
      const double after = k < links.size() ? links[k] : 0;
      if (std::max(before, after) >= kLeastCorrelation) continue;
      throw InputError(
          input_.captures[k].location, "contrast",
          fmt::format("the mask's pattern, as in the captures next to it (correlation above {:g})", kLeastCorrelation),
          fmt::format("{:.2f}", std::max(before, after)));
    }
    for (std::size_t k = 0; k < links.size(); ++k) {
      if (links[k] >= kLeastCorrelation) continue;
      throw InputError(
          input_.captures[k + 1].location, "pattern",
          fmt::format("that of {} too (correlation above {:g})", input_.captures[k].location, kLeastCorrelation),
          fmt::format("{:.2f}", links[k]));
    }
  }

  /// Where the mask lies in the capture in the middle, and everything about its centre.
  void find_window() {
    const std::size_t n = frames_.captures.size();
    const int height = images_.front().height();
    const int width = images_.front().width();
    Image light(height, width);
    for (std::size_t k = 0; k < n; ++k) {
      double mean = 0;
      for (const float v : frames_.captures[k].values()) mean += v;
      mean /= static_cast<double>(light.size());
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const Place at =
              alignment_.motions[k].apply({static_cast<double>(x), static_cast<double>(y)}, alignment_.centre);
          light(y, x) += cubic(frames_.captures[k], at.x, at.y) / static_cast<float>(std::max(mean, 1e-9));
        }
      }
    }
    double least = 0;
    double most = 0;
    double up = 0;
    double down = 0;
    for (const Similarity& motion : alignment_.motions) {
      least = std::min(least, motion.dx);
      most = std::max(most, motion.dx);
      up = std::min(up, motion.dy);
      down = std::max(down, motion.dy);
    }
    if (options_.mask_region) {
      // Given in the capture of the smallest position.
      Region given = *options_.mask_region;
      if (axis_ == Axis::rows) given = {given.left, given.top, given.width, given.height};
      window_ = {given.top, given.left - static_cast<int>(std::lround(least)), given.height, given.width};
    } else {
      window_ = lit_window(light);
    }
    // What a band would lose at the frame's edge is no part of the mask.
    const int left = std::max(window_.left, static_cast<int>(std::ceil(-least)));
    const int right = std::min(window_.left + window_.width, width - 1 - static_cast<int>(std::ceil(most)));
    const int top = std::max(window_.top, static_cast<int>(std::ceil(-up)));
    const int bottom = std::min(window_.top + window_.height, height - static_cast<int>(std::ceil(down)));
    cut_ = left > window_.left || right < window_.left + window_.width || top > window_.top ||
           bottom < window_.top + window_.height;
    window_ = {top, left, bottom - top, right - left};
    if (window_.height < 8 || window_.width < 8) {
      throw InputError(input_.captures[alignment_.middle].location, "mask",
                       "a lit part of at least 8×8 pixels that all captures show",
                       window_.height > 0 && window_.width > 0 ? shape_text(window_.height, window_.width) : "none");
    }
    const Place centre{window_.left + (window_.width - 1) / 2.0, window_.top + (window_.height - 1) / 2.0};
    for (Similarity& motion : alignment_.motions) motion = motion.about(centre, alignment_.centre);
    alignment_.centre = centre;
    captures_.centre = centre;
    captures_.motions = alignment_.motions;
  }

  /// What each capture is like.
  void measure() {
    const Region core = inside(window_);
    std::vector<Image> patterns;
    Image mean(core.height, core.width);
    for (std::size_t k = 0; k < images_.size(); ++k) {
      patterns.push_back(inner_pattern(frames_.captures[k], alignment_.motions[k], alignment_.centre, core));
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean.data()[i] += patterns.back().data()[i] / static_cast<float>(images_.size());
      }
    }
    const double pattern = deviation(mean, {0, 0, mean.height(), mean.width()});
    std::vector<double> factors;
    for (const Image& own : patterns) factors.push_back(factor_of(mean, own));
    std::vector<double> sorted = factors;
    std::ranges::sort(sorted);
    typical_factor_ = sorted[sorted.size() / 2];
    for (std::size_t k = 0; k < images_.size(); ++k) {
      const double own = factors[k] * pattern;
      if (own >= kNoContrast && factors[k] >= kRelativeContrast * typical_factor_) continue;
      throw InputError(input_.captures[k].location, "contrast",
                       fmt::format("a pattern that deviates from its mean by {:.1f} % at least", 100 * kNoContrast),
                       fmt::format("{:.2f} %", 100 * own));
    }
    for (std::size_t k = 0; k < images_.size(); ++k) {
      CaptureFinding found;
      found.location = input_.captures[k].location;
      found.wavelength = input_.captures[k].wavelength;
      found.position = alignment_.motions[k].dx;
      found.across = alignment_.motions[k].dy;
      found.turn = alignment_.motions[k].turn;
      found.scale = alignment_.motions[k].scale;
      found.correlation = alignment_.correlations[k];
      found.contrast = factors[k];
      found.saturated = frames_.saturated[k];
      double sum = 0;
      double count = 0;
      const Image& frame = frames_.captures[k];
      for (int y = core.top; y < core.top + core.height; ++y) {
        for (int x = core.left; x < core.left + core.width; ++x) {
          const int column = x + static_cast<int>(std::lround(found.position));
          if (column < 0 || column >= frame.width()) continue;
          sum += frame(y, column);
          count += 1;
        }
      }
      found.brightness = sum / std::max(count, 1.0);
      result_.captures.push_back(found);
    }
  }

  void fit() {
    std::vector<double> along;
    std::vector<double> across;
    std::vector<double> turns;
    std::vector<double> scales;
    for (const CaptureFinding& c : result_.captures) {
      along.push_back(c.position);
      across.push_back(c.across);
      turns.push_back(c.turn);
      scales.push_back(c.scale);
    }
    const std::vector<double>& nm = captures_.wavelengths;
    const PositionCurve curve = fit_positions(nm, along, options_.degree);
    result_.degree = static_cast<int>(curve.coefficients.size()) - 1;
    result_.rms_residual = curve.rms;
    result_.largest_residual = curve.largest;
    result_.left_out_error = curve.left_out_error;
    const int low = nm.size() > 6 ? 2 : 1;
    const PositionCurve across_curve = fit_plain(nm, across, curve.outlier, low);
    const PositionCurve turn_curve = fit_plain(nm, turns, curve.outlier, low);
    const PositionCurve scale_curve = fit_plain(nm, scales, curve.outlier, low);

    wavelengths_ = options_.wavelengths.empty() ? nm : options_.wavelengths;
    std::vector<double> found;
    for (const double w : wavelengths_) found.push_back(curve.at(w));
    origin_ = std::ranges::min(found);
    for (CaptureFinding& c : result_.captures) {
      const auto k = static_cast<std::size_t>(&c - result_.captures.data());
      c.fitted = curve.at(c.wavelength) - origin_;
      c.position -= origin_;
      c.outlier = curve.outlier[k];
    }

    // Rotation and scale against the mean of all: what is common to all bands does not matter.
    double turn_mean = 0;
    double scale_mean = 0;
    for (const double w : wavelengths_) {
      turn_mean += turn_curve.at(w) / static_cast<double>(wavelengths_.size());
      scale_mean += scale_curve.at(w) / static_cast<double>(wavelengths_.size());
    }
    const double radius = 0.5 * std::hypot(window_.width - 1, window_.height - 1);
    double across_mean = 0;
    for (const double w : wavelengths_) {
      result_.corner =
          std::max(result_.corner, radius * std::hypot(turn_curve.at(w) - turn_mean, scale_curve.at(w) - scale_mean));
      across_mean += across_curve.at(w) / static_cast<double>(wavelengths_.size());
    }
    result_.resampled = result_.corner > kLeastCorner;
    if (!result_.resampled) {
      for (Similarity& motion : captures_.motions) {
        motion.turn = 0;
        motion.scale = 1;
      }
    }
    const double first = curve.at(wavelengths_.front());
    const double last = curve.at(wavelengths_.back());
    result_.angle =
        std::atan2(across_curve.at(wavelengths_.back()) - across_curve.at(wavelengths_.front()), last - first);
    if (last < first)
      result_.angle =
          std::atan2(across_curve.at(wavelengths_.front()) - across_curve.at(wavelengths_.back()), first - last);
    for (std::size_t b = 0; b < wavelengths_.size(); ++b) {
      const double w = wavelengths_[b];
      result_.camera.positions.push_back(found[b] - origin_);
      bands_.push_back({found[b], across_curve.at(w), result_.resampled ? turn_curve.at(w) : 0,
                        result_.resampled ? scale_curve.at(w) : 1});
    }
    // The curve as the camera file has it: over the range of the bands, from the smallest position.
    if (wavelengths_.size() > 1) {
      std::vector<double> at;
      std::vector<double> value;
      const auto [low_nm, high_nm] = std::ranges::minmax(wavelengths_);
      constexpr int kPoints = 41;
      for (int i = 0; i < kPoints; ++i) {
        at.push_back(std::lerp(low_nm, high_nm, i / (kPoints - 1.0)));
        value.push_back(curve.at(at.back()) - origin_);
      }
      result_.camera.curve = fit_plain(at, value, std::vector<bool>(at.size(), false), result_.degree).coefficients;
    }
    // The corner of the smallest position's mask on the detector.
    window_.left = static_cast<int>(std::lround(window_.left + origin_));
    window_.top = static_cast<int>(std::lround(window_.top + across_mean));
    const int span = static_cast<int>(std::ceil(std::ranges::max(result_.camera.positions)));
    window_.left = std::max(window_.left, 0);
    window_.top = std::max(window_.top, 0);
    window_.width = std::min(window_.width, images_.front().width() - span - window_.left);
    window_.height = std::min(window_.height, images_.front().height() - window_.top);
  }

  void make_masks() {
    captures_.good = std::move(frames_.good);
    for (std::size_t k = 0; k < frames_.captures.size(); ++k) {
      captures_.frames.push_back(frames_.captures[k]);
      const auto unit = static_cast<float>(std::max(result_.captures[k].brightness, 1e-9));
      for (float& v : captures_.frames.back().values()) v /= unit;
    }
    frames_.captures.clear();
    const int span = static_cast<int>(std::ceil(std::ranges::max(result_.camera.positions)));
    const Region area{window_.top, window_.left, window_.height, window_.width + span};
    Cube& masks = result_.camera.masks;
    masks = Cube(static_cast<int>(wavelengths_.size()), window_.height, window_.width);
    masks.wavelengths = wavelengths_;
    for (std::size_t b = 0; b < wavelengths_.size(); ++b) {
      band_images_.push_back(band_image(captures_, wavelengths_[b], shown_at(b), area));
      const Image mask = mask_of(band_images_.back(), result_.camera.positions[b], window_.width);
      std::copy_n(mask.data(), mask.size(), masks.band(static_cast<int>(b)));
      tell("masks", 0.65 + 0.3 * static_cast<double>(b + 1) / static_cast<double>(wavelengths_.size()));
    }
    scale_masks(masks);
    const Region core = {0, 0, window_.height, window_.width};
    for (int b = 0; b < masks.bands(); ++b) {
      Image mask(masks.height(), masks.width());
      std::copy_n(masks.band(b), masks.band_size(), mask.data());
      result_.contrast.push_back(deviation(lit_pattern(mask), core));
    }
    std::vector<double> sorted = result_.contrast;
    std::ranges::sort(sorted);
    const double typical = sorted[sorted.size() / 2];
    for (CaptureFinding& c : result_.captures) c.contrast *= typical / std::max(typical_factor_, 1e-9);
  }

  /// Where a band's image is: of a band with a capture of its own where that was found, so that nothing is
  /// interpolated, unless it is not believed.
  Similarity shown_at(std::size_t band) const {
    const CaptureShare own = capture_shares(captures_.wavelengths, wavelengths_[band]).front();
    if (own.weight < 1 || result_.captures[own.capture].outlier) return bands_[band];
    return captures_.motions[own.capture];
  }

  void compare_picture() {
    if (frames_.picture.empty()) return;
    Image good = frames_.bad;
    for (float& v : good.values()) v = v == 0 ? 1.0f : 0.0f;
    fill_bad(frames_.picture, good);
    const Image picture = smoothed(lit_pattern(frames_.picture), kRegistrationSmoothing);
    const Shift shift = phase_correlation(alignment_.mean, picture);
    const Region whole{0, 0, picture.height(), picture.width()};
    const Place centre{(picture.width() - 1) / 2.0, (picture.height() - 1) / 2.0};
    const Registration found = register_images(alignment_.mean, picture, whole, centre, {shift.dx, shift.dy, 0, 1});
    result_.picture_correlation = found.correlation;
    result_.picture_position = found.motion.about(alignment_.centre, centre).dx - origin_;
  }

  /// Variance of the pixels of a band's image before it was scaled, where gain and read noise are known. Two captures'
  /// mean has half of one's.
  double noise_of(std::size_t band, const Image& image) const {
    const DetectorFinding& d = frames_.finding;
    if (!(d.gain > 0)) return 0;
    const CaptureShare own = capture_shares(captures_.wavelengths, wavelengths_[band]).front();
    const double unit = result_.captures[own.capture].brightness;
    const double light = unit * static_cast<double>(window_.height) * window_.width / static_cast<double>(image.size());
    const double variance = light / d.gain + d.read_noise * d.read_noise / (d.gain * d.gain);
    return (own.weight < 1 ? 0.5 : 1) * variance / (unit * unit);
  }

  void find_gains() {
    if (frames_.white.empty()) return;
    const int span = band_images_.front().width() - window_.width;
    const Region area{window_.top, window_.left, window_.height, window_.width + span};
    // As bright, where their masks lie, as the masks, whose mean is the same in all bands.
    const Cube& masks = result_.camera.masks;
    std::vector<double> noise;
    for (int b = 0; b < masks.bands(); ++b) {
      double before = 0;
      double after = 0;
      Image& image = band_images_[static_cast<std::size_t>(b)];
      const double position = result_.camera.positions[static_cast<std::size_t>(b)];
      const int whole = static_cast<int>(std::floor(position));
      for (int y = 0; y < masks.height(); ++y) {
        for (int x = 0; x < masks.width(); ++x) {
          const int next = std::min(x + whole + 1, image.width() - 1);
          before += std::lerp(static_cast<double>(image(y, x + whole)), static_cast<double>(image(y, next)),
                              position - whole);
        }
      }
      for (std::size_t i = 0; i < masks.band_size(); ++i) after += masks.band(b)[i];
      const double factor = after / std::max(before, 1e-9);
      for (float& v : image.values()) v *= static_cast<float>(factor);
      noise.push_back(noise_of(static_cast<std::size_t>(b), image) * factor * factor);
    }
    std::vector<bool> seen;
    for (const double nm : wavelengths_) seen.push_back(capture_shares(captures_.wavelengths, nm).front().weight == 1);
    tell("white target", 0.96);
    const GainFinding found =
        band_gains(crop(frames_.white, area), crop(frames_.white_good, area), band_images_, wavelengths_, seen, noise);
    result_.white_misfit = found.misfit;
    result_.camera.band_gains = found.gains;
    for (double& g : result_.camera.band_gains) g = std::max(g, kLeastGain);
  }

  void fill_camera() {
    CameraFile& camera = result_.camera;
    camera.wavelengths = wavelengths_;
    camera.axis = axis_;
    Detector& d = camera.detector;
    d.black_level = frames_.finding.black_level;
    if (frames_.finding.pattern) d.dark = frames_.dark;
    if (frames_.finding.hot + frames_.finding.dead > 0) d.bad = frames_.bad;
    d.saturation = frames_.finding.saturation;
    d.gain = frames_.finding.gain;
    d.read_noise = frames_.finding.read_noise;
    if (axis_ == Axis::rows) {
      camera.masks = transposed(camera.masks);
      if (!d.dark.empty()) d.dark = transposed(d.dark);
      if (!d.bad.empty()) d.bad = transposed(d.bad);
      std::swap(window_.top, window_.left);
    }
    const Camera device = camera.camera();
    d.region = Region{window_.top, window_.left, device.detector_height(), device.detector_width()};
    camera.provenance["program"] = fmt::format("snapcube {} calibrate", version());
    camera.provenance["captures"] = fmt::format("{} from {} to {}", input_.captures.size(),
                                                input_.captures.front().location, input_.captures.back().location);
    camera.provenance["captured"] = date_of(input_.captures);
    camera.provenance["dark"] =
        fmt::format("{} frames, the first {}", frames_.finding.dark_frames, input_.dark.front());
    if (!input_.white.empty()) camera.provenance["white"] = input_.white.front();
    if (!input_.exposures.empty()) {
      camera.provenance["exposures"] =
          fmt::format("{} frames, the first {}", input_.exposures.size(), input_.exposures.front().location);
    }
    if (!input_.mask_picture.empty()) camera.provenance["mask_picture"] = input_.mask_picture;
    std::string measured;
    for (const CaptureFinding& c : result_.captures) {
      measured += fmt::format("{}{:g} nm at {:.3f}{}", measured.empty() ? "" : ", ", c.wavelength, c.position,
                              c.outlier ? " (left out)" : "");
    }
    camera.provenance["measured_positions"] = measured;
    if (cut_) {
      camera.provenance["note"] = "the mask reaches beyond the frame; the part is used that all captures show";
    }
  }

  const CalibrationInput& input_;
  const CalibrationOptions& options_;
  const CalibrationProgress& progress_;
  DetectorFrames frames_;
  std::vector<Image> images_;  ///< patterns of the captures, smoothed for registration
  Axis axis_ = Axis::columns;
  Alignment alignment_;
  AlignedCaptures captures_;
  Region window_;  ///< the mask: in the capture in the middle, after fit() at the smallest position
  bool cut_ = false;
  double origin_ = 0;  ///< of the positions
  double typical_factor_ = 1;
  std::vector<double> wavelengths_;  ///< of the bands
  std::vector<Similarity> bands_;    ///< of each band against the capture in the middle
  std::vector<Image> band_images_;   ///< on the detector, from the smallest position's mask on
  Calibration result_;
};

}  // namespace

Calibration calibrate(const CalibrationInput& input, const CalibrationOptions& options,
                      const CalibrationProgress& progress) {
  return Work(input, options, progress).run();
}

}  // namespace snapcube
