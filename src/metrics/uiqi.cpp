// Universal image quality index (Wang and Bovik, 2002). With the sums over a window of N pixels,
//   Q = 4·cov·(Σx·Σy) / (var·means),  cov = N·Σxy − Σx·Σy,
//   var = N·Σ(x² + y²) − means,       means = (Σx)² + (Σy)².
// As in the authors' program: a window flat in both images (var = 0) has Q = 2·Σx·Σy/means, and Q =
// 1 where means = 0 too.

#include <array>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/metrics.h>

#include "base/parallel.h"
#include "base/text.h"
#include "metrics/common.h"

namespace snapcube {

namespace {

constexpr int kWindow = kUiqiWindow;  // a power of two
constexpr int kStripRows = 64;

/// Sums x, y, x² + y², xy over the windows of a strip. A sum of 32 neighbours takes five additions:
/// of 2, then 4, … 32. Unlike a running sum or an integral image it subtracts nothing, so a dark
/// window beside bright ones keeps its digits.
class StripSums {
 public:
  explicit StripSums(int width) : width_(width) {
    for (auto& plane : planes_) plane.resize(static_cast<std::size_t>(kStripRows + kWindow - 1) * width);
  }

  void load(const float* a, const float* b, int rows) {
    const std::size_t size = static_cast<std::size_t>(rows) * width_;
    for (std::size_t i = 0; i < size; ++i) {
      const double p = a[i];
      const double q = b[i];
      planes_[0][i] = p;
      planes_[1][i] = q;
      planes_[2][i] = p * p + q * q;
      planes_[3][i] = p * q;
    }
    for (auto& plane : planes_) {
      // In one dimension: v[i] += v[i + step] for ascending i reads v[i + step] before it changes.
      // The last values of a row take in the next row's first; they belong to no window inside the
      // image.
      for (int step = 1; step < kWindow; step *= 2) add_ahead(plane.data(), size, step);
      for (int step = 1; step < kWindow; step *= 2) {
        add_ahead(plane.data(), size, static_cast<std::size_t>(step) * width_);
      }
    }
  }

  /// The index of the window with this upper left corner in the strip.
  double quality(int y, int x) const {
    constexpr double kPixels = kWindow * kWindow;
    const std::size_t i = static_cast<std::size_t>(y) * width_ + x;
    const double product = planes_[0][i] * planes_[1][i];
    const double means = planes_[0][i] * planes_[0][i] + planes_[1][i] * planes_[1][i];
    const double squares = kPixels * planes_[2][i];
    const double variance = squares - means;
    // Rounding leaves about 1e-15·squares of a flat window; that is not a variance.
    const bool flat = variance <= 1e-13 * squares;
    if (means == 0) return 1;
    if (flat) return 2 * product / means;
    return 4 * (kPixels * planes_[3][i] - product) * product / (variance * means);
  }

 private:
  static void add_ahead(double* v, std::size_t size, std::size_t step) {
    for (std::size_t i = 0; i + step < size; ++i) v[i] += v[i + step];
  }

  int width_;
  std::array<std::vector<double>, 4> planes_;
};

}  // namespace

double uiqi(const Cube& image, const Cube& truth) {
  check_same_shape(image, truth);
  const int rows = image.height() - kWindow + 1;
  const int columns = image.width() - kWindow + 1;
  if (rows < 1 || columns < 1) {
    throw InputError("UIQI", "", "at least 32×32 pixels (its window)", shape_text(image.height(), image.width()));
  }
  const int strips = (rows + kStripRows - 1) / kStripRows;
  std::vector<double> sums(static_cast<std::size_t>(image.bands()) * strips);
  const auto make_windows = [&] { return StripSums(image.width()); };
  parallel_for(std::ssize(sums), make_windows, [&](std::int64_t task, StripSums& windows) {
    const int band = static_cast<int>(task / strips);
    const int top = static_cast<int>(task % strips) * kStripRows;
    const int count = std::min(kStripRows, rows - top);
    windows.load(image.row(band, top), truth.row(band, top), count + kWindow - 1);
    double sum = 0;
    for (int y = 0; y < count; ++y) {
      for (int x = 0; x < columns; ++x) sum += windows.quality(y, x);
    }
    sums[task] = sum;
  });
  // Every band has as many windows, so the mean of the bands' means is the mean over all.
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum / (static_cast<double>(image.bands()) * rows * columns);
}

}  // namespace snapcube
