#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/mask.h>

#include "base/random.h"
#include "base/text.h"

namespace snapcube {

Image random_mask(int height, int width, MaskKind kind, double density, std::uint64_t seed) {
  if (height < 1 || width < 1) {
    throw InputError("random mask", "size", "at least 1×1", shape_text(height, width));
  }
  if (!(density > 0 && density < 1)) {
    throw InputError("random mask", "density", "a number between 0 and 1", fmt::format("{}", density));
  }
  Image mask(height, width);
  Random random(seed);
  const double low = std::max(0.0, 2 * density - 1);
  const double high = std::min(1.0, 2 * density);
  for (float& v : mask.values()) {
    if (kind == MaskKind::binary) {
      v = random.uniform() < density ? 1.0f : 0.0f;
    } else {
      v = static_cast<float>(random.uniform(low, high));
    }
  }
  return mask;
}

namespace {

/// Shares beyond which a mask is unusual.
constexpr double kSaturatedShare = 0.10;
constexpr double kFewOpen = 0.05;
constexpr double kManyOpen = 0.95;
/// A pixel below this share of the maximum passes no light to speak of.
constexpr double kDark = 0.01;

/// "1 pixel", "3 pixels".
std::string counted(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

struct Counts {
  std::size_t not_finite = 0;
  std::size_t negative = 0;
  std::size_t at_maximum = 0;
  std::size_t at_minimum = 0;
  bool whole_numbers = true;
};

/// Statistics of the finite pixels.
Counts measure(const Image& mask, MaskReport& report) {
  Counts counts;
  double sum = 0;
  report.minimum = std::numeric_limits<double>::infinity();
  report.maximum = -report.minimum;
  for (const float v : mask.values()) {
    if (!std::isfinite(v)) {
      ++counts.not_finite;
      continue;
    }
    counts.negative += v < 0;
    counts.whole_numbers = counts.whole_numbers && v == std::floor(v);
    report.minimum = std::min(report.minimum, static_cast<double>(v));
    report.maximum = std::max(report.maximum, static_cast<double>(v));
    sum += v;
  }
  const std::size_t finite = mask.size() - counts.not_finite;
  if (finite == 0) {
    report.minimum = report.maximum = 0;
    return counts;
  }
  report.mean = sum / static_cast<double>(finite);
  double squares = 0;
  std::size_t open = 0;
  for (const float v : mask.values()) {
    if (!std::isfinite(v)) continue;
    squares += (v - report.mean) * (v - report.mean);
    open += v > report.maximum / 2;
    counts.at_maximum += v == report.maximum;
    counts.at_minimum += v == report.minimum;
  }
  report.deviation = std::sqrt(squares / static_cast<double>(finite));
  report.open_share = static_cast<double>(open) / static_cast<double>(finite);
  report.binary = report.minimum < report.maximum && counts.at_maximum + counts.at_minimum == finite;
  return counts;
}

/// What no reconstruction can work with.
std::vector<std::string> faults(const Image& mask, const MaskReport& report, const Counts& counts) {
  if (mask.empty()) return {"The mask is empty: it has no pixels."};
  std::vector<std::string> result;
  if (counts.not_finite > 0) {
    result.push_back(fmt::format("{} {} NaN or infinite.", counted(counts.not_finite, "pixel"),
                                 counts.not_finite == 1 ? "is" : "are"));
  }
  if (counts.negative > 0) {
    result.push_back(fmt::format("{} {} negative (the smallest is {:.4g}); a mask cannot pass less than no light.",
                                 counted(counts.negative, "pixel"), counts.negative == 1 ? "is" : "are",
                                 report.minimum));
  }
  if (counts.not_finite < mask.size() && report.minimum == report.maximum) {
    result.push_back(
        report.maximum == 0
            ? std::string("The mask is constant: every pixel is 0, no light passes.")
            : fmt::format(
                  "The mask is constant: every pixel is {:.4g}, and without a pattern the bands cannot be told apart.",
                  report.maximum));
  }
  return result;
}

/// "2 rows (the first is row 7)", or nothing.
std::string dark_lines(const std::vector<bool>& lit, const char* noun) {
  const auto dark = static_cast<std::size_t>(std::ranges::count(lit, false));
  if (dark == 0) return {};
  const auto first = std::ranges::find(lit, false) - lit.begin();
  return dark == 1 ? fmt::format("{} {} is entirely dark.", noun, first)
                   : fmt::format("{} {}s are entirely dark; the first is {}.", dark, noun, first);
}

/// Sentences start with a capital letter.
void add(std::vector<std::string>& findings, std::string sentence) {
  if (sentence.empty()) return;
  if (sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  findings.push_back(std::move(sentence));
}

void find_dark_lines(const Image& mask, double maximum, std::vector<std::string>& findings) {
  std::vector<bool> row_lit(static_cast<std::size_t>(mask.height()));
  std::vector<bool> column_lit(static_cast<std::size_t>(mask.width()));
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      if (mask(y, x) <= kDark * maximum) continue;
      row_lit[y] = true;
      column_lit[x] = true;
    }
  }
  add(findings, dark_lines(row_lit, "row"));
  add(findings, dark_lines(column_lit, "column"));
}

/// What is unusual about a mask that can be used.
std::vector<std::string> oddities(const Image& mask, const MaskReport& report, const Counts& counts) {
  std::vector<std::string> result;
  if (report.maximum > 1) {
    const char* guess = "";
    if (counts.whole_numbers && report.maximum <= 255) guess = " It is likely 8-bit data: divide it by 255.";
    if (counts.whole_numbers && report.maximum > 255) guess = " It is likely 16-bit data: divide it by 65535.";
    result.push_back(fmt::format("The largest value is {:.6g}, where 1 lets all light pass.{}", report.maximum, guess));
  }
  const double saturated = static_cast<double>(counts.at_maximum) / static_cast<double>(mask.size());
  if (!report.binary && saturated > kSaturatedShare) {
    result.push_back(
        fmt::format("{} of the pixels have exactly the largest value, {:.4g}: if the mask was "
                    "measured, they may be saturated.",
                    percent(saturated), report.maximum));
  }
  if (report.open_share < kFewOpen) {
    result.push_back(fmt::format("Very little light passes: {} of the pixels are open.", percent(report.open_share)));
  } else if (report.open_share > kManyOpen) {
    result.push_back(fmt::format("The pattern is weak: {} of the pixels are open.", percent(report.open_share)));
  }
  find_dark_lines(mask, report.maximum, result);
  return result;
}

}  // namespace

MaskReport inspect_mask(const Image& mask) {
  MaskReport report;
  const Counts counts = measure(mask, report);
  report.findings = faults(mask, report, counts);
  report.usable = report.findings.empty();
  if (report.usable) report.findings = oddities(mask, report, counts);
  return report;
}

}  // namespace snapcube
