// Structural similarity (Wang et al., 2004). With window means E of 11×11 Gaussian weights,
//   SSIM = (2·Ex·Ey + C1)(2·cov + C2) / ((Ex² + Ey² + C1)(var_x + var_y + C2)),
//   cov = E[xy] − Ex·Ey,   var_x + var_y = E[x² + y²] − Ex² − Ey².
// Four means suffice: x, y, x² + y², xy. The window is separable: each row is filtered along x once
// and kept in a ring of the last 11; every output row is a weighted sum of the ring.

#include <array>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/metrics.h>

#include "base/parallel.h"
#include "base/text.h"
#include "metrics/common.h"

namespace snapcube {

namespace {

constexpr int kWindow = kSsimWindow;
constexpr int kRadius = kWindow / 2;
constexpr double kSigma = 1.5;
constexpr int kMoments = 4;

/// Half of the symmetric window: weight at distance 0 … 5; the whole window sums to 1.
using Weights = std::array<double, kRadius + 1>;

Weights gaussian_weights() {
  Weights w{};
  double sum = 0;
  for (int i = 0; i <= kRadius; ++i) {
    w[i] = std::exp(-i * i / (2 * kSigma * kSigma));
    sum += i == 0 ? w[i] : 2 * w[i];
  }
  for (double& v : w) v /= sum;
  return w;
}

/// What a protocol compares: zero rows and columns around the image, the range of its values.
struct Setting {
  int padding;
  double range;
  double (*value)(float);
};

double raw(float x) { return x; }

Setting setting_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::toolbox:
      return {kRadius, 1, raw};
    case Protocol::uint8:
      return {0, 255, level_of};
    case Protocol::float32:
      break;
  }
  return {0, 1, clamped};
}

/// The SSIM of one band, row by row.
class BandSsim {
 public:
  BandSsim(int height, int width, const Setting& setting, const Weights& weights)
      : height_(height),
        width_(width),
        setting_(setting),
        w_(weights),
        padded_width_(width + 2 * setting.padding),
        out_width_(padded_width_ - 2 * kRadius),
        row_(static_cast<std::size_t>(padded_width_) * kMoments),
        ring_(static_cast<std::size_t>(out_width_) * kMoments * kWindow),
        means_(static_cast<std::size_t>(out_width_) * kMoments) {}

  double run(const float* a, const float* b) {
    const int padded_height = height_ + 2 * setting_.padding;
    double sum = 0;
    for (int y = 0; y < padded_height; ++y) {
      const int source = y - setting_.padding;
      if (source >= 0 && source < height_) {
        const std::size_t start = static_cast<std::size_t>(source) * width_;
        load(a + start, b + start);
        filter_row(ring_row(y));
      } else {
        std::fill_n(ring_row(y), out_width_ * kMoments, 0.0);
      }
      if (y >= 2 * kRadius) {
        filter_columns(y - kRadius);
        sum += sum_of_map();
      }
    }
    return sum / (static_cast<double>(padded_height - 2 * kRadius) * out_width_);
  }

 private:
  /// Four moments of a row, one after the other.
  double* ring_row(int y) { return ring_.data() + static_cast<std::size_t>(y % kWindow) * out_width_ * kMoments; }

  /// row_ = x, y, x² + y², xy with zeros on both sides (they are never written).
  void load(const float* a, const float* b) {
    double* m = row_.data() + setting_.padding;
    for (int x = 0; x < width_; ++x) {
      const double p = setting_.value(a[x]);
      const double q = setting_.value(b[x]);
      m[x] = p;
      m[padded_width_ + x] = q;
      m[2 * padded_width_ + x] = p * p + q * q;
      m[3 * padded_width_ + x] = p * q;
    }
  }

  void filter_row(double* out) const {
    for (int m = 0; m < kMoments; ++m) {
      const double* in = row_.data() + static_cast<std::size_t>(m) * padded_width_ + kRadius;
      double* o = out + static_cast<std::size_t>(m) * out_width_;
      for (int x = 0; x < out_width_; ++x) {
        o[x] = w_[0] * in[x] + w_[1] * (in[x - 1] + in[x + 1]) + w_[2] * (in[x - 2] + in[x + 2]) +
               w_[3] * (in[x - 3] + in[x + 3]) + w_[4] * (in[x - 4] + in[x + 4]) + w_[5] * (in[x - 5] + in[x + 5]);
      }
    }
  }

  /// means_ = the weighted sum of the rows centre − 5 … centre + 5.
  void filter_columns(int centre) {
    std::array<const double*, kWindow> r{};
    for (int i = 0; i < kWindow; ++i) r[i] = ring_row(centre - kRadius + i);
    for (int x = 0; x < out_width_ * kMoments; ++x) {
      means_[x] = w_[0] * r[5][x] + w_[1] * (r[4][x] + r[6][x]) + w_[2] * (r[3][x] + r[7][x]) +
                  w_[3] * (r[2][x] + r[8][x]) + w_[4] * (r[1][x] + r[9][x]) + w_[5] * (r[0][x] + r[10][x]);
    }
  }

  double sum_of_map() const {
    const double c1 = 0.01 * 0.01 * setting_.range * setting_.range;
    const double c2 = 0.03 * 0.03 * setting_.range * setting_.range;
    const double* m = means_.data();
    double sum = 0;
    for (int x = 0; x < out_width_; ++x) {
      const double product = m[x] * m[out_width_ + x];
      const double squares = m[x] * m[x] + m[out_width_ + x] * m[out_width_ + x];
      const double variances = m[2 * out_width_ + x] - squares;
      const double covariance = m[3 * out_width_ + x] - product;
      sum += (2 * product + c1) * (2 * covariance + c2) / ((squares + c1) * (variances + c2));
    }
    return sum;
  }

  int height_;
  int width_;
  Setting setting_;
  Weights w_;
  int padded_width_;
  int out_width_;
  std::vector<double> row_;
  std::vector<double> ring_;
  std::vector<double> means_;
};

}  // namespace

std::vector<double> ssim_per_band(const Cube& image, const Cube& truth, Protocol protocol) {
  check_same_shape(image, truth);
  const Setting setting = setting_of(protocol);
  const int least = kWindow - 2 * setting.padding;
  if (image.height() < least || image.width() < least) {
    throw InputError(fmt::format("SSIM by protocol {}", to_string(protocol)), "",
                     "at least 11×11 pixels (the window, which must lie inside the image)",
                     shape_text(image.height(), image.width()));
  }
  const Weights weights = gaussian_weights();
  std::vector<double> result(static_cast<std::size_t>(image.bands()));
  const auto make_band = [&] { return BandSsim(image.height(), image.width(), setting, weights); };
  parallel_for(image.bands(), make_band, [&](std::int64_t b, BandSsim& band) {
    result[b] = band.run(image.band(static_cast<int>(b)), truth.band(static_cast<int>(b)));
  });
  return result;
}

double ssim(const Cube& image, const Cube& truth, Protocol protocol) {
  return mean_of(ssim_per_band(image, truth, protocol));
}

}  // namespace snapcube
