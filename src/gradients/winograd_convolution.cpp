#include "gradients/winograd_convolution.h"

#include <algorithm>
#include <array>
#include <memory>

#include "engine/winograd.h"
#include "gradients/pieces.h"
#include "kernels/gradients.h"
#include "kernels/winograd.h"

namespace snapcube::gradients {

namespace {

using kernels::kWinogradOutputs;
using kernels::kWinogradProducts;
using kernels::kWinogradWeights;

constexpr int kTaps = 3;  // columns of a kernel

/// Rows of output that are one piece of work: several groups of four, whose weights then stay in the cache.
constexpr int kPieceRows = 16;

std::vector<Piece> row_pieces(int batch, int rows) {
  return pieces(batch, rows, 1, slab_rows(batch, rows, 1, kPieceRows), 1);
}

/// Six rows of planar channels, with margins of zeros beside each.
class SixRows {
 public:
  SixRows(int channels, int width)
      : pitch_(padded_pitch(width)),
        step_(static_cast<std::size_t>(channels) * pitch_),
        values_(kMargin + kWinogradProducts * step_) {}
  float* row(int i) { return values_.data() + kMargin + static_cast<std::size_t>(i) * step_; }
  std::size_t pitch() const { return pitch_; }

 private:
  std::size_t pitch_;
  std::size_t step_;
  FloatBuffer values_;
};

/// Bᵀ of the rows that output rows first … first + 3 see.
void transform_input(const ConstPlanes& x, int sample, int first, SixRows& to) {
  for (int c = 0; c < x.channels; ++c) {
    const float* rows[kWinogradProducts];
    float* out[kWinogradProducts];
    for (int i = 0; i < kWinogradProducts; ++i) {
      const int y = first - 1 + i;
      const bool inside = y >= 0 && y < x.height;
      rows[i] = inside ? x.row(sample, y) + static_cast<std::size_t>(c) * x.pitch() : nullptr;
      out[i] = to.row(i) + static_cast<std::size_t>(c) * to.pitch();
    }
    kernels::winograd_input(rows, static_cast<std::size_t>(x.width), out);
  }
}

}  // namespace

void winograd_convolve(const ConstPlanes& x, const float* weights, bool turned, const Planes& y) {
  const auto packed = engine::winograd_weights(weights, y.channels, x.channels, turned);
  const auto list = row_pieces(x.batch, x.height);
  const auto row_floats = static_cast<std::size_t>(y.channels) * y.pitch();
#pragma omp parallel
  {
    SixRows seen(x.channels, x.width);
    FloatBuffer products(kWinogradProducts * row_floats);
#pragma omp for schedule(dynamic)
    for (std::size_t n = 0; n < list.size(); ++n) {
      const Piece& piece = list[n];
      for (int first = piece.first; first < piece.last; first += kWinogradOutputs) {
        transform_input(x, piece.sample, first, seen);
        const float* made[kWinogradProducts];
        for (int i = 0; i < kWinogradProducts; ++i) {
          const float* taps[kTaps] = {seen.row(i) - 1, seen.row(i), seen.row(i) + 1};
          kernels::RowProduct p = packed[static_cast<std::size_t>(i)].product();
          p.taps = taps;
          p.pitch = seen.pitch();
          p.pixels = static_cast<std::size_t>(x.width);
          p.out = products.data() + static_cast<std::size_t>(i) * row_floats;
          p.out_pitch = y.pitch();
          kernels::row_product(p);
          made[i] = p.out;
        }
        float* out[kWinogradOutputs];
        for (int j = 0; j < kWinogradOutputs; ++j) {
          out[j] = first + j < piece.last ? y.row(piece.sample, first + j) : nullptr;
        }
        kernels::winograd_output(made, row_floats, out);
      }
    }
  }
}

// With V = Bᵀx and Z = A·dy, the gradient of (G g)[i] is Σ Z[i]·V[i] over columns and groups, and that of g is Gᵀ times
// these.
void winograd_weights_gradient(const ConstPlanes& x, const ConstPlanes& dy, float* weights_gradient) {
  const auto list = row_pieces(x.batch, x.height);
  const auto size = static_cast<std::size_t>(dy.channels * x.channels);
  const auto row_floats = static_cast<std::size_t>(dy.channels) * dy.pitch();
  struct Own {
    SixRows seen;
    FloatBuffer spread;
  };
  std::vector<std::unique_ptr<Own>> owns(static_cast<std::size_t>(omp_get_max_threads()));
  FloatBuffer total(kWinogradProducts * kTaps * size);
  parallel_sums(static_cast<int>(list.size()), total.size(), total.data(), [&](int n, float* sums) {
    auto& own = owns[static_cast<std::size_t>(omp_get_thread_num())];
    if (!own) {
      own = std::make_unique<Own>(Own{SixRows(x.channels, x.width), FloatBuffer(kWinogradProducts * row_floats)});
    }
    const Piece& piece = list[static_cast<std::size_t>(n)];
    for (int first = piece.first; first < piece.last; first += kWinogradOutputs) {
      transform_input(x, piece.sample, first, own->seen);
      const float* rows[kWinogradOutputs];
      float* spread[kWinogradProducts];
      for (int j = 0; j < kWinogradOutputs; ++j) {
        rows[j] = first + j < piece.last ? dy.row(piece.sample, first + j) : nullptr;
      }
      for (int i = 0; i < kWinogradProducts; ++i) {
        spread[i] = own->spread.data() + static_cast<std::size_t>(i) * row_floats;
      }
      kernels::winograd_output_transposed(rows, row_floats, spread);
      for (int i = 0; i < kWinogradProducts; ++i) {
        for (int t = 0; t < kTaps; ++t) {
          kernels::OuterProduct o;
          o.a = spread[i];
          o.a_pitch = dy.pitch();
          o.a_channels = dy.channels;
          o.b = own->seen.row(i) + t - 1;
          o.b_pitch = own->seen.pitch();
          o.b_channels = x.channels;
          o.pixels = static_cast<std::size_t>(x.width);
          o.out = sums + static_cast<std::size_t>(i * kTaps + t) * size;
          kernels::outer_product(o);
        }
      }
    }
  });
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t t = 0; t < kTaps; ++t) {
        double sum = 0;
        for (std::size_t i = 0; i < kWinogradProducts; ++i) {
          sum += kWinogradWeights[i][row] * static_cast<double>(total[(i * kTaps + t) * size + k]);
        }
        weights_gradient[k * 9 + 3 * row + t] += static_cast<float>(sum);
      }
    }
  }
}

}  // namespace snapcube::gradients
