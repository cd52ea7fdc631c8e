#include "gradients/convolution.h"

#include <memory>

#include "engine/packed.h"
#include "gradients/padded_slab.h"
#include "gradients/pieces.h"
#include "gradients/winograd_convolution.h"
#include "kernels/gradients.h"

namespace snapcube::gradients {

namespace {

using engine::pack;
using engine::Packed;

/// Rows of output that are worked on together, at most.
constexpr int kSlabRows = 16;

std::vector<Piece> slabs_of(int batch, int rows) {
  return pieces(batch, rows, 1, slab_rows(batch, rows, 1, kSlabRows), 1);
}

/// matrix [rows][columns][taps] of what f(row, column, tap) gives, packed.
template <typename F>
Packed packed_of(int rows, int columns, int taps, const F& f) {
  FloatBuffer matrix;
  matrix.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(taps));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      for (int t = 0; t < taps; ++t) matrix.push_back(f(r, c, t));
    }
  }
  return pack(matrix.data(), rows, columns, taps);
}

void multiply(const Packed& weights, const float* const* taps, std::size_t pitch, int pixels, const float* bias,
              float* out, std::size_t out_pitch) {
  kernels::RowProduct p = weights.product();
  p.taps = taps;
  p.pitch = pitch;
  p.pixels = static_cast<std::size_t>(pixels);
  p.bias = bias;
  p.out = out;
  p.out_pitch = out_pitch;
  kernels::row_product(p);
}

/// f(sample, first, last, slab) for slabs of `rows` rows, each thread with a slab = make() of memory of its own.
template <typename Make, typename F>
void for_each_slab(int batch, int rows, const Make& make, const F& f) {
  const auto list = slabs_of(batch, rows);
#pragma omp parallel
  {
    PaddedSlab own = make();
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < list.size(); ++i) f(list[i].sample, list[i].first, list[i].last, own);
  }
}

/// The same, with `floats` sums that f(sample, first, last, slab, sums) adds to; in the end all are added to `total`.
template <typename Make, typename F>
FloatBuffer sums_of_slabs(int batch, int rows, const Make& make, std::size_t floats, const F& f) {
  const auto list = slabs_of(batch, rows);
  std::vector<std::unique_ptr<PaddedSlab>> slabs(static_cast<std::size_t>(omp_get_max_threads()));
  FloatBuffer total(floats);
  parallel_sums(static_cast<int>(list.size()), floats, total.data(), [&](int i, float* sums) {
    auto& own = slabs[static_cast<std::size_t>(omp_get_thread_num())];
    if (!own) own = std::make_unique<PaddedSlab>(make());
    const Piece& piece = list[static_cast<std::size_t>(i)];
    f(piece.sample, piece.first, piece.last, *own, sums);
  });
  return total;
}

/// Adds [taps][rows][columns] to [rows][columns][taps].
void give(const FloatBuffer& total, int rows, int columns, int taps, float* to) {
  const auto n = static_cast<std::size_t>(rows * columns);
  for (std::size_t t = 0; t < static_cast<std::size_t>(taps); ++t) {
    for (std::size_t i = 0; i < n; ++i) to[i * static_cast<std::size_t>(taps) + t] += total[t * n + i];
  }
}

/// out[m][n] += Σ a·b over `rows` rows.
void add_products(const float* a, std::size_t a_pitch, std::size_t a_row_step, int a_channels, const float* b,
                  std::size_t b_pitch, std::size_t b_row_step, int b_channels, int pixels, int rows, float* out) {
  kernels::OuterProduct o;
  o.a = a;
  o.a_pitch = a_pitch;
  o.a_row_step = a_row_step;
  o.a_channels = a_channels;
  o.b = b;
  o.b_pitch = b_pitch;
  o.b_row_step = b_row_step;
  o.b_channels = b_channels;
  o.pixels = static_cast<std::size_t>(pixels);
  o.rows = rows;
  o.out = out;
  kernels::outer_product(o);
}

template <typename Float>
std::size_t row_step(const PlanesOf<Float>& x) {
  return static_cast<std::size_t>(x.channels) * x.pitch();
}

/// Distance of tap t from the middle, in rows and columns.
struct Offset {
  Offset(const Convolution& c, int t)
      : row((t / c.kernel - c.kernel / 2) * c.dilation), column((t % c.kernel - c.kernel / 2) * c.dilation) {}
  int row;
  int column;
};

/// Worth it from two groups of four rows on.
bool by_winograd(const Convolution& c, int height) { return c.kernel == 3 && c.dilation == 1 && height >= 8; }

int reach_of(const Convolution& c) { return c.kernel / 2 * c.dilation; }

void convolve_with(const ConstPlanes& x, const Convolution& c, const Packed& weights, const Planes& y) {
  const int reach = reach_of(c);
  const auto make = [&] { return PaddedSlab(x.channels, x.width, reach > 0 ? kSlabRows + 2 * reach : 0); };
  for_each_slab(x.batch, x.height, make, [&](int sample, int first, int last, PaddedSlab& slab) {
    if (reach > 0) slab.load(x, sample, first - reach, last + reach);
    for (int row = first; row < last; ++row) {
      const float* taps[9];
      for (int t = 0; t < weights.taps; ++t) {
        const Offset at(c, t);
        const float* source = reach > 0 ? slab.row(row + at.row) : x.row(sample, row);
        taps[t] = source ? source + at.column : nullptr;
      }
      multiply(weights, taps, reach > 0 ? slab.pitch() : x.pitch(), x.width, nullptr, y.row(sample, row), y.pitch());
    }
  });
}

}  // namespace

void convolve(const ConstPlanes& x, const Convolution& c, const Planes& y) {
  if (by_winograd(c, x.height)) return winograd_convolve(x, c.weights, false, y);
  convolve_with(x, c, pack(c.weights, c.outputs, c.inputs, c.kernel * c.kernel), y);
}

// dx is the convolution of dy with the kernel turned around; dW_t[o][i] = Σ dy[o]·x[i] shifted by tap t.
void convolve_backward(const ConstPlanes& x, const Convolution& c, const ConstPlanes& dy, const Planes* dx,
                       float* weights_gradient) {
  if (by_winograd(c, x.height)) {
    if (dx) winograd_convolve(dy, c.weights, true, *dx);
    return winograd_weights_gradient(x, dy, weights_gradient);
  }
  const int taps = c.kernel * c.kernel;
  if (dx) {
    const Packed back = packed_of(c.inputs, c.outputs, taps, [&](int i, int o, int t) {
      return c.weights[(o * c.inputs + i) * taps + taps - 1 - t];
    });
    convolve_with(dy, c, back, *dx);
  }
  const int reach = reach_of(c);
  const auto size = static_cast<std::size_t>(c.outputs * c.inputs);
  const auto make = [&] { return PaddedSlab(x.channels, x.width, reach > 0 ? kSlabRows + 2 * reach : 0); };
  const FloatBuffer total =
      sums_of_slabs(x.batch, x.height, make, size * static_cast<std::size_t>(taps),
                    [&](int sample, int first, int last, PaddedSlab& slab, float* sums) {
                      if (reach > 0) slab.load(x, sample, first - reach, last + reach);
                      for (int t = 0; t < taps; ++t) {
                        const Offset at(c, t);
                        const int from = std::max(first, -at.row);
                        const int to = std::min(last, x.height - at.row);
                        if (from >= to) continue;
                        const float* source = reach > 0 ? slab.row(from + at.row) + at.column : x.row(sample, from);
                        add_products(dy.row(sample, from), dy.pitch(), row_step(dy), c.outputs, source,
                                     reach > 0 ? slab.pitch() : x.pitch(), reach > 0 ? slab.row_step() : row_step(x),
                                     c.inputs, x.width, to - from, sums + static_cast<std::size_t>(t) * size);
                      }
                    });
  give(total, c.outputs, c.inputs, taps, weights_gradient);
}

namespace {

/// Of the four columns 2p − 1 … 2p + 2 that output column p of a 4×4 kernel of stride 2 sees, as shifts of the even and
/// odd columns: odd[p − 1], even[p], odd[p], even[p + 1].
const float* column_of(const PaddedSlab& slab, const float* row, int k) {
  constexpr int kShift[4] = {-1, 0, 0, 1};
  return row ? row + (k % 2 == 0 ? slab.odd() : 0) + kShift[k] : nullptr;
}

constexpr int kDownTaps = 16;

}  // namespace

void downsample(const ConstPlanes& x, const float* weights, const Planes& y) {
  const Packed packed = pack(weights, y.channels, x.channels, kDownTaps);
  const auto make = [&] { return PaddedSlab(x.channels, x.width, 2 * kSlabRows + 2, 2); };
  for_each_slab(y.batch, y.height, make, [&](int sample, int first, int last, PaddedSlab& slab) {
    slab.load(x, sample, 2 * first - 1, 2 * last + 1);
    for (int row = first; row < last; ++row) {
      const float* taps[kDownTaps];
      for (int t = 0; t < kDownTaps; ++t) taps[t] = column_of(slab, slab.row(2 * row - 1 + t / 4), t % 4);
      multiply(packed, taps, slab.pitch(), y.width, nullptr, y.row(sample, row), y.pitch());
    }
  });
}

// x[2q + a] is seen by the outputs q and q − 1 (a = 0, as rows 1 and 3 of the kernel) or q + 1 and q (a = 1, as rows 0
// and 2), and so for columns: the gradient of each of the four parities of x is a convolution of 2×2 taps of dy.
void downsample_backward(const ConstPlanes& x, const float* weights, const ConstPlanes& dy, const Planes& dx,
                         float* weights_gradient) {
  constexpr int kRowOf[2][2] = {{1, 3}, {0, 2}};
  constexpr int kShiftOf[2][2] = {{0, -1}, {1, 0}};
  Packed back[2][2];
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      back[a][b] = packed_of(x.channels, dy.channels, 4, [&](int i, int o, int t) {
        return weights[(o * x.channels + i) * kDownTaps + 4 * kRowOf[a][t / 2] + kRowOf[b][t % 2]];
      });
    }
  }
  const auto make = [&] { return PaddedSlab(dy.channels, dy.width, kSlabRows + 2); };
  const std::size_t half_pitch = padded_pitch(dy.width);
  for_each_slab(dy.batch, dy.height, make, [&](int sample, int first, int last, PaddedSlab& slab) {
    slab.load(dy, sample, first - 1, last + 1);
    FloatBuffer halves(2 * static_cast<std::size_t>(dx.channels) * half_pitch);
    float* odd = halves.data() + static_cast<std::size_t>(dx.channels) * half_pitch;
    for (int row = 2 * first; row < 2 * last; ++row) {
      const int a = row % 2;
      for (int b = 0; b < 2; ++b) {
        const float* taps[4];
        for (int t = 0; t < 4; ++t) {
          const float* source = slab.row(row / 2 + kShiftOf[a][t / 2]);
          taps[t] = source ? source + kShiftOf[b][t % 2] : nullptr;
        }
        multiply(back[a][b], taps, slab.pitch(), dy.width, nullptr, b == 0 ? halves.data() : odd, half_pitch);
      }
      for (std::size_t c = 0; c < static_cast<std::size_t>(dx.channels); ++c) {
        kernels::join_pairs(halves.data() + c * half_pitch, odd + c * half_pitch, static_cast<std::size_t>(dy.width),
                            nullptr, dx.row(sample, row) + c * dx.pitch());
      }
    }
  });
  const auto size = static_cast<std::size_t>(dy.channels * x.channels);
  const auto make_split = [&] { return PaddedSlab(x.channels, x.width, 2 * kSlabRows + 2, 2); };
  const FloatBuffer total = sums_of_slabs(dy.batch, dy.height, make_split, kDownTaps * size,
                                          [&](int sample, int first, int last, PaddedSlab& slab, float* sums) {
                                            slab.load(x, sample, 2 * first - 1, 2 * last + 1);
                                            for (int t = 0; t < kDownTaps; ++t) {
                                              const int off = t / 4 - 1;
                                              const int from = std::max(first, off < 0 ? 1 : 0);
                                              const int to = std::min(last, dy.height - (off > 1 ? 1 : 0));
                                              if (from >= to) continue;
                                              add_products(dy.row(sample, from), dy.pitch(), row_step(dy), dy.channels,
                                                           column_of(slab, slab.row(2 * from + off), t % 4),
                                                           slab.pitch(), 2 * slab.row_step(), x.channels, dy.width,
                                                           to - from, sums + static_cast<std::size_t>(t) * size);
                                            }
                                          });
  give(total, dy.channels, x.channels, kDownTaps, weights_gradient);
}

void upsample(const ConstPlanes& x, const float* weights, const float* bias, const Planes& y) {
  const int outputs = y.channels;
  Packed rows[2];
  for (int a = 0; a < 2; ++a) {
    // Outputs at even columns first, then those at odd ones.
    rows[a] = packed_of(2 * outputs, x.channels, 1, [&](int o, int i, int) {
      return weights[((i * outputs + o % outputs) * 2 + a) * 2 + o / outputs];
    });
  }
  FloatBuffer biases(bias, bias + outputs);
  biases.insert(biases.end(), bias, bias + outputs);
  const std::size_t half_pitch = padded_pitch(x.width);
  const auto make = [] { return PaddedSlab(0, 2, 0); };  // needs none
  for_each_slab(x.batch, x.height, make, [&](int sample, int first, int last, PaddedSlab&) {
    FloatBuffer halves(static_cast<std::size_t>(2 * outputs) * half_pitch);
    const float* odd = halves.data() + static_cast<std::size_t>(outputs) * half_pitch;
    for (int row = 2 * first; row < 2 * last; ++row) {
      const float* tap = x.row(sample, row / 2);
      multiply(rows[row % 2], &tap, x.pitch(), x.width, biases.data(), halves.data(), half_pitch);
      for (std::size_t c = 0; c < static_cast<std::size_t>(outputs); ++c) {
        kernels::join_pairs(halves.data() + c * half_pitch, odd + c * half_pitch, static_cast<std::size_t>(x.width),
                            nullptr, y.row(sample, row) + c * y.pitch());
      }
    }
  });
}

// dx = Σ_ab W_ab·dy[2r + a][2c + b], a product of four taps of dy's even and odd columns.
void upsample_backward(const ConstPlanes& x, const float* weights, const ConstPlanes& dy, const Planes& dx,
                       float* weights_gradient) {
  const int outputs = dy.channels;
  const Packed back =
      packed_of(x.channels, outputs, 4, [&](int i, int o, int t) { return weights[(i * outputs + o) * 4 + t]; });
  const auto make = [&] { return PaddedSlab(outputs, dy.width, 2 * kSlabRows, 2); };
  const auto size = static_cast<std::size_t>(x.channels * outputs);
  const FloatBuffer total = sums_of_slabs(
      x.batch, x.height, make, 4 * size, [&](int sample, int first, int last, PaddedSlab& slab, float* sums) {
        slab.load(dy, sample, 2 * first, 2 * last);
        const auto place = [&](int row, int t) { return slab.row(2 * row + t / 2) + (t % 2 == 1 ? slab.odd() : 0); };
        for (int row = first; row < last; ++row) {
          const float* taps[4];
          for (int t = 0; t < 4; ++t) taps[t] = place(row, t);
          multiply(back, taps, slab.pitch(), x.width, nullptr, dx.row(sample, row), dx.pitch());
        }
        for (int t = 0; t < 4; ++t) {
          add_products(x.row(sample, first), x.pitch(), row_step(x), x.channels, place(first, t), slab.pitch(),
                       2 * slab.row_step(), outputs, x.width, last - first, sums + static_cast<std::size_t>(t) * size);
        }
      });
  give(total, x.channels, outputs, 4, weights_gradient);
}

}  // namespace snapcube::gradients
