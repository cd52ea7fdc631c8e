#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

namespace snapcube {

const std::vector<double>& published_wavelengths() {
  static const std::vector<double> kWavelengths{453.5, 457.5, 462.0, 466.0, 471.5, 476.5, 481.5, 487.0, 492.5, 498.0,
                                                504.0, 510.0, 516.0, 522.5, 529.5, 536.5, 544.0, 551.5, 558.5, 567.5,
                                                575.5, 584.5, 594.5, 604.0, 614.5, 625.0, 636.5, 648.0};
  return kWavelengths;
}

std::vector<double> even_wavelengths(double first, double step, int count) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i) result.push_back(first + step * i);
  return result;
}

namespace {

/// Rounding of grids such as 400 + 0.1·i may miss the end by this much (nm).
constexpr double kTolerance = 1e-6;

std::string range_text(double low, double high) {
  return low == high ? fmt::format("{} nm", low) : fmt::format("{}–{} nm", low, high);
}

void check_grids(const Cube& cube, std::span<const double> wanted, const std::string& source) {
  const std::vector<double>& grid = cube.wavelengths;
  if (grid.empty()) {
    throw InputError(source, "wavelengths", "one for each band, to resample", "none");
  }
  if (grid.size() != static_cast<std::size_t>(cube.bands())) {
    throw InputError(source, "wavelengths", fmt::format("{} (one for each band)", cube.bands()),
                     fmt::format("{}", grid.size()));
  }
  const auto not_finite = [](double v) { return !std::isfinite(v); };
  if (std::ranges::any_of(grid, not_finite) || std::ranges::any_of(wanted, not_finite)) {
    throw InputError(source, "wavelengths", "finite numbers", "NaN or infinity");
  }
  const auto descent = std::ranges::adjacent_find(grid, std::ranges::greater_equal{});
  if (descent != grid.end()) {
    throw InputError(source, "wavelengths", "ascending numbers",
                     fmt::format("{} nm followed by {} nm", descent[0], descent[1]));
  }
  if (wanted.empty()) throw InputError(source, "wanted wavelengths", "at least one", "none");
  const auto [low, high] = std::ranges::minmax(wanted);
  if (low < grid.front() - kTolerance || high > grid.back() + kTolerance) {
    throw InputError(fmt::format("{}: asked for {}, the cube covers {}", source, range_text(low, high),
                                 range_text(grid.front(), grid.back())));
  }
}

/// One wanted wavelength on the source's grid: between bands `left` and left + 1, t in [0,1] of the
/// way.
struct Position {
  int left;
  double t;
};

Position locate(const std::vector<double>& grid, double wavelength) {
  const auto last = static_cast<int>(grid.size()) - 2;
  const auto above = std::ranges::upper_bound(grid, wavelength);
  const int left = std::clamp(static_cast<int>(above - grid.begin()) - 1, 0, last);
  const double t = (wavelength - grid[left]) / (grid[left + 1] - grid[left]);
  return {left, std::clamp(t, 0.0, 1.0)};
}

/// The weights 1 and 0 at t = 0 or 1 return the source's value exactly.
void interpolate_linear(const Cube& cube, const Position& at, float* out) {
  const float* a = cube.band(at.left);
  const float* b = cube.band(at.left + 1);
  for (std::size_t i = 0; i < cube.band_size(); ++i) {
    out[i] = static_cast<float>((1 - at.t) * a[i] + at.t * b[i]);
  }
}

/// The slope at the middle of three points with intervals h0, h1 and secants s0, s1: zero at an
/// extremum, else the harmonic mean of the secants with weights 2·h1 + h0 and h1 + 2·h0.
double inner_slope(double h0, double h1, double s0, double s1) {
  if (s0 * s1 <= 0) return 0;
  const double w0 = 2 * h1 + h0;
  const double w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / s0 + w1 / s1);
}

/// The slope at an end: of the parabola through the three nearest points, limited so that the cubic
/// stays monotone. h0, s0 belong to the interval at the end, h1, s1 to the one beside it.
double end_slope(double h0, double h1, double s0, double s1) {
  const double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
  if (slope * s0 <= 0) return 0;
  if (s0 * s1 <= 0 && std::fabs(slope) > 3 * std::fabs(s0)) return 3 * s0;
  return slope;
}

/// Hermite's cubic between two bands with the slopes above.
void interpolate_monotone(const Cube& cube, const Position& at, float* out) {
  const std::vector<double>& grid = cube.wavelengths;
  const int k = at.left;
  const bool has_before = k > 0;
  const bool has_after = k + 2 < cube.bands();
  const double h = grid[k + 1] - grid[k];
  const double h_before = has_before ? grid[k] - grid[k - 1] : 0;
  const double h_after = has_after ? grid[k + 2] - grid[k + 1] : 0;
  const float* y0 = cube.band(k);
  const float* y1 = cube.band(k + 1);
  const float* before = has_before ? cube.band(k - 1) : nullptr;
  const float* after = has_after ? cube.band(k + 2) : nullptr;

  const double t = at.t;
  const double to_y1 = t * t * (3 - 2 * t);
  const double to_d0 = h * t * (1 - t) * (1 - t);
  const double to_d1 = -h * t * t * (1 - t);
  for (std::size_t i = 0; i < cube.band_size(); ++i) {
    const double left = y0[i];
    const double right = y1[i];
    const double s = (right - left) / h;
    const double s_before = has_before ? (left - before[i]) / h_before : 0;
    const double s_after = has_after ? (after[i] - right) / h_after : 0;
    double d0 = s;
    double d1 = s;
    if (has_before) {
      d0 = inner_slope(h_before, h, s_before, s);
    } else if (has_after) {
      d0 = end_slope(h, h_after, s, s_after);
    }
    if (has_after) {
      d1 = inner_slope(h, h_after, s, s_after);
    } else if (has_before) {
      d1 = end_slope(h, h_before, s, s_before);
    }
    out[i] = static_cast<float>((1 - to_y1) * left + to_y1 * right + to_d0 * d0 + to_d1 * d1);
  }
}

}  // namespace

Cube resample(const Cube& cube, std::span<const double> wavelengths, Interpolation interpolation,
              const std::string& source) {
  check_grids(cube, wavelengths, source);
  const auto count = static_cast<int>(wavelengths.size());
  Cube result(count, cube.height(), cube.width());
  result.wavelengths.assign(wavelengths.begin(), wavelengths.end());
#pragma omp parallel for
  for (int b = 0; b < count; ++b) {
    if (cube.bands() == 1) {
      std::copy_n(cube.band(0), cube.band_size(), result.band(b));
      continue;
    }
    const Position at = locate(cube.wavelengths, wavelengths[b]);
    if (interpolation == Interpolation::linear) {
      interpolate_linear(cube, at, result.band(b));
    } else {
      interpolate_monotone(cube, at, result.band(b));
    }
  }
  return result;
}

}  // namespace snapcube
