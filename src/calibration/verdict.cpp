#include "calibration/verdict.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace snapcube {

namespace {

constexpr double kGoodFit = 0.05;  ///< pixels: what positions should be right to
constexpr double kPoorFit = 0.25;
constexpr double kWeakContrast = 0.4;  ///< of the median
constexpr double kPoorContrast = 0.08;

std::string name_of(const CaptureFinding& capture) {
  return fmt::format("{} ({:g} nm)", std::filesystem::path(capture.location).filename().string(), capture.wavelength);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

class Doubts {
 public:
  explicit Doubts(const Calibration& calibration) : c_(calibration) {}

  std::vector<Doubt> all() {
    captures();
    curve();
    geometry();
    masks();
    detector();
    white();
    return std::move(found_);
  }

 private:
  void say(std::string sentence, bool grave = false) { found_.push_back({std::move(sentence), grave}); }

  void captures() {
    for (const CaptureFinding& capture : c_.captures) {
      if (capture.outlier) {
        say(fmt::format("{} lies {:+.2f} pixels off the curve and was left out of it: is its wavelength right?",
                        name_of(capture), capture.residual()));
      }
      if (capture.correlation < 0.5) {
        say(fmt::format(
            "{} resembles the mask of the others only to {:.2f} (1 is the same): too dark, or not the same mask?",
            name_of(capture), capture.correlation));
      }
      if (capture.saturated > 0.01) {
        say(fmt::format(
            "{} has {:.1f} % of its lit pixels at full scale: a shorter exposure would show the mask better.",
            name_of(capture), 100 * capture.saturated));
      }
    }
  }

  void curve() {
    const auto outliers = std::ranges::count(c_.captures, true, &CaptureFinding::outlier);
    if (3 * outliers > static_cast<std::ptrdiff_t>(c_.captures.size())) {
      say(fmt::format("{} of {} captures are off the curve: it may be the wrong one.", outliers, c_.captures.size()),
          true);
    }
    if (c_.left_out_error > kPoorFit) {
      say(fmt::format(
              "A capture that the curve was not told of is predicted to {:.2f} pixels only: the positions between "
              "the captures are not known well.",
              c_.left_out_error),
          true);
    } else if (c_.left_out_error > kGoodFit) {
      say(fmt::format("A capture that the curve was not told of is predicted to {:.2f} pixels; {:.2f} would be good.",
                      c_.left_out_error, kGoodFit));
    }
    for (std::size_t k = 0; k + 1 < c_.captures.size(); ++k) {
      const double apart = std::fabs(c_.captures[k + 1].fitted - c_.captures[k].fitted);
      const double span = std::fabs(c_.captures.back().fitted - c_.captures.front().fitted);
      if (c_.captures.size() > 4 && apart > 0.34 * span) {
        say(fmt::format("There is no capture between {:g} and {:g} nm, a third of the way: the curve is a guess there.",
                        c_.captures[k].wavelength, c_.captures[k + 1].wavelength));
      }
    }
    const std::vector<double>& p = c_.camera.positions;
    double least = 1e9;
    for (std::size_t b = 0; b + 1 < p.size(); ++b) least = std::min(least, std::fabs(p[b + 1] - p[b]));
    if (p.size() > 1 && least < 0.5) {
      say(
          fmt::format("Neighbouring bands come as near as {:.2f} pixels: they will hardly be told apart. Fewer bands "
                      "(--wavelengths) lose nothing.",
                      least));
    }
    const bool rising = p.size() < 2 || p[1] > p[0];
    for (std::size_t b = 0; b + 1 < p.size(); ++b) {
      if ((p[b + 1] > p[b]) == rising) continue;
      say("The curve turns back: two wavelengths fall on one place.", true);
      break;
    }
  }

  void geometry() {
    if (c_.corner > 1) {
      say(fmt::format(
          "Bands are turned or scaled against each other by up to {:.1f} pixels at a corner. The masks have "
          "it, and the cube's bands will be so against each other.",
          c_.corner));
    }
    double across = 0;
    for (const CaptureFinding& capture : c_.captures) {
      for (const CaptureFinding& other : c_.captures)
        across = std::max(across, std::fabs(capture.across - other.across));
    }
    if (across > 0.5) {
      say(fmt::format(
          "The dispersion runs {:.2f}° off the detector's axis: bands are moved across it by up to {:.1f} pixels. "
          "The masks have it, and the cube's bands will be so against each other; turning the detector mends it.",
          c_.angle * 180 / 3.14159265358979, across));
    }
  }

  void masks() {
    if (c_.contrast.empty()) return;
    const double middle = median(c_.contrast);
    if (middle < kPoorContrast) {
      say(fmt::format("The mask's contrast is {:.2f} (1 for a sharp half-open mask): is it in focus?", middle), true);
    }
    for (std::size_t b = 0; b < c_.contrast.size(); ++b) {
      if (c_.contrast[b] < kWeakContrast * middle) {
        say(fmt::format("At {:g} nm the mask's contrast is {:.2f}, against {:.2f} elsewhere.", c_.camera.wavelengths[b],
                        c_.contrast[b], middle));
      }
    }
    if (c_.picture_correlation && *c_.picture_correlation < 0.5) {
      say(fmt::format(
          "The picture of the mask without disperser resembles the mask found only to {:.2f}: another mask, or "
          "turned over?",
          *c_.picture_correlation));
    }
  }

  void detector() {
    const DetectorFinding& d = c_.detector;
    if (d.dark_frames < 4) {
      say(d.dark_frames == 1 ? std::string("One dark frame does not tell noise from pattern; eight are better.")
                             : fmt::format("{} dark frames are few; eight are better.", d.dark_frames));
    }
    if (!(d.saturation > 0)) {
      say("No frame is bright enough to show where pixels are full: full scale is not known (--saturation tells).");
    }
    if (d.gain > 0 && d.gain_error > 0.03 * d.gain) {
      say(fmt::format("The gain is known to {:.0f} % only: more exposures, or larger frames.",
                      100 * d.gain_error / d.gain));
    }
    const double share =
        static_cast<double>(d.hot + d.dead) / std::max<double>(1, static_cast<double>(c_.camera.detector.bad.size()));
    if (!c_.camera.detector.bad.empty() && share > 0.01) {
      say(fmt::format("{:.1f} % of the pixels are hot or dead.", 100 * share));
    }
  }

  void white() {
    if (c_.camera.band_gains.empty()) return;
    if (c_.white_misfit > 0.1) {
      say(fmt::format(
          "The bands explain all but {:.0f} % of the white target: is it evenly lit, and under the lamp in use?",
          100 * c_.white_misfit));
    }
    for (std::size_t b = 0; b < c_.camera.band_gains.size(); ++b) {
      if (c_.camera.band_gains[b] < 0.02) {
        say(fmt::format("The lamp gives hardly any light at {:g} nm ({:.2g} of the mean): expect noise there.",
                        c_.camera.wavelengths[b], c_.camera.band_gains[b]));
      }
    }
  }

  const Calibration& c_;
  std::vector<Doubt> found_;
};

}  // namespace

void judge(Calibration& calibration) {
  calibration.doubts = Doubts(calibration).all();
  const auto grave = std::ranges::count(calibration.doubts, true, &Doubt::grave);
  const std::string fit = fmt::format("Positions fit the curve to {:.3f} pixels", calibration.rms_residual);
  if (grave > 0) {
    calibration.verdict =
        fmt::format("Not reliable: {}",
                    calibration
                        .doubts[static_cast<std::size_t>(std::ranges::find(calibration.doubts, true, &Doubt::grave) -
                                                         calibration.doubts.begin())]
                        .sentence);
  } else if (!calibration.doubts.empty()) {
    calibration.verdict =
        fmt::format("Usable. {}; {} to look at.", fit,
                    calibration.doubts.size() == 1 ? std::string("one thing")
                                                   : fmt::format("{} things", calibration.doubts.size()));
  } else {
    calibration.verdict = fmt::format("Good. {}, and nothing is doubtful.", fit);
  }
}

}  // namespace snapcube
