#include "gradients/expansion.h"

#include <array>
#include <cstring>
#include <memory>

#include "engine/packed.h"
#include "gradients/pieces.h"
#include "kernels/depthwise.h"
#include "kernels/elementwise.h"
#include "kernels/gradients.h"

namespace snapcube::gradients {

namespace {

using engine::pack;
using engine::Packed;

/// Rows that go through a kernel together.
constexpr int kRows = kernels::kMaxDepthwiseRows;
/// Rows of a ring: those of one group, and what the next needs of them.
constexpr int kRing = kRows + 4;
/// Wide floats of a row that a piece works on. Strips narrow enough for three rings to fit a core's L2 cache took a
/// quarter longer: the columns that each computes beside its own cost it a vector in every row.
constexpr int kWideRow = 1 << 15;

/// [rows][columns] to [columns][rows].
FloatBuffer transposed(const float* matrix, int rows, int columns) {
  FloatBuffer result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) result[static_cast<std::size_t>(c * rows + r)] = matrix[r * columns + c];
  }
  return result;
}

/// The weights as the kernels want them.
struct Prepared {
  explicit Prepared(const Expansion& w)
      : raw(w),
        narrow(w.inputs),
        wide(w.wide),
        expand(pack(w.expand, wide, narrow)),
        reduce(pack(w.reduce, w.outputs, wide)),
        expand_back(pack(transposed(w.expand, wide, narrow).data(), narrow, wide)),
        reduce_back(pack(transposed(w.reduce, w.outputs, wide).data(), wide, w.outputs)),
        depthwise_back(static_cast<std::size_t>(9 * wide)) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(wide); ++c) {
      for (std::size_t i = 0; i < 9; ++i) depthwise_back[9 * c + i] = w.depthwise[9 * c + 8 - i];
    }
  }
  const Expansion& raw;
  int narrow, wide;
  Packed expand, reduce, expand_back, reduce_back;
  FloatBuffer depthwise_back;
};

void product(const Packed& weights, const float* in, std::size_t in_pitch, int pixels, float* out,
             std::size_t out_pitch, kernels::Activation activation = kernels::Activation::none,
             const float* residual = nullptr, std::size_t residual_pitch = 0) {
  kernels::RowProduct p = weights.product();
  p.taps = &in;
  p.pitch = in_pitch;
  p.pixels = static_cast<std::size_t>(pixels);
  p.out = out;
  p.out_pitch = out_pitch;
  p.activation = activation;
  p.residual = residual;
  p.residual_pitch = residual_pitch;
  kernels::row_product(p);
}

/// Rows of a piece and its neighbourhood: column x of the map is at [x − left], which margins make valid beyond the
/// piece. Columns outside of the map stay 0.
class Ring {
 public:
  Ring(int channels, int width, int rows)
      : pitch_(padded_pitch(width)),
        step_(static_cast<std::size_t>(channels) * pitch_),
        rows_(rows),
        values_(static_cast<std::size_t>(rows + 1) * step_ + kMargin) {}
  /// Before a piece whose rows hold columns [first, first + count): forgets what one of other columns has left beside
  /// them. Rows are written before they are read.
  void expect(int first, int count) {
    if (used_ && (first != first_ || count != count_)) std::fill(values_.begin(), values_.end(), 0.0f);
    used_ = true;
    first_ = first;
    count_ = count;
  }

  float* row(int y) { return values_.data() + kMargin + static_cast<std::size_t>((y + rows_) % rows_) * step_; }
  /// Whether rows y … y + count − 1 lie one behind the other.
  bool is_contiguous(int y, int count) const { return (y + rows_) % rows_ + count <= rows_; }
  const float* zeros() const { return values_.data() + kMargin + static_cast<std::size_t>(rows_) * step_; }
  std::size_t pitch() const { return pitch_; }
  std::size_t step() const { return step_; }

 private:
  std::size_t pitch_;
  std::size_t step_;
  int rows_;
  bool used_ = false;
  int first_ = 0;
  int count_ = 0;
  FloatBuffer values_;
};

/// Columns of the map that a step computes: the piece's and `reach` more on either side.
struct Columns {
  Columns(const Piece& piece, int width, int reach)
      : first(std::max(0, piece.left - reach) - piece.left),
        count(std::min(width, piece.right + reach) - std::max(0, piece.left - reach)) {}
  int first;  ///< from the piece's left
  int count;
};

/// n of one row at the columns asked for: normalised into `room`, or as it is.
struct NormalRow {
  NormalRow(const Prepared& w, const ConstPlanes& x, const Piece& piece, int row, const Columns& columns, float* room,
            std::size_t room_pitch)
      : data(x.row(piece.sample, row) + piece.left + columns.first), pitch(x.pitch()) {
    if (!w.raw.gamma) return;
    kernels::layer_norm(data, pitch, w.narrow, static_cast<std::size_t>(columns.count), w.raw.gamma, w.raw.beta, room,
                        room_pitch);
    data = room;
    pitch = room_pitch;
  }
  const float* data;
  std::size_t pitch;
};

/// One piece's way down its rows, forward. The piece is of x; its output is `stride` times smaller.
class Forward {
 public:
  Forward(const Prepared& weights, int strip)
      : w_(weights), normal_(w_.narrow, strip, 1), wide_(w_.wide, strip, kRing), filtered_(w_.wide, strip, kRows) {}

  void run(const ConstPlanes& x, const Piece& piece, const Planes& y) {
    const Columns columns(piece, x.width, 1);
    wide_.expect(columns.first, columns.count);
    const int stride = w_.raw.stride;
    const int left = piece.left / stride;
    const int count = piece.right / stride - left;
    const int at_once = kRows / stride;
    int next = std::max(0, piece.first - 1);
    for (int top = piece.first / stride; top < piece.last / stride; top += at_once) {
      const int rows = std::min(at_once, piece.last / stride - top);
      for (; next <= std::min(stride * (top + rows - 1) + 1, x.height - 1); ++next) expand(x, piece, next);
      std::array<const float*, 2 * kRows + 2> sources{};
      for (int r = 0; r < stride * (rows - 1) + 3; ++r) {
        const int row = stride * top + r - 1;
        sources[static_cast<std::size_t>(r)] = row < 0 || row >= x.height ? wide_.zeros() : wide_.row(row);
      }
      kernels::Depthwise d;
      d.weights = w_.raw.depthwise;
      d.channels = w_.wide;
      d.rows = sources.data();
      d.pitch = wide_.pitch();
      d.stride = stride;
      d.pixels = static_cast<std::size_t>(count);
      d.out_rows = rows;
      d.activation = w_.raw.activation;
      d.out = filtered_.row(0);
      d.out_pitch = filtered_.pitch();
      d.out_row_step = filtered_.step();
      kernels::depthwise(d);
      for (int r = 0; r < rows; ++r) {
        const float* in = w_.raw.residual() ? x.row(piece.sample, top + r) + left : nullptr;
        product(w_.reduce, filtered_.row(r), filtered_.pitch(), count, y.row(piece.sample, top + r) + left, y.pitch(),
                kernels::Activation::none, in, x.pitch());
      }
    }
  }

 private:
  void expand(const ConstPlanes& x, const Piece& piece, int row) {
    const Columns columns(piece, x.width, 1);
    const NormalRow n(w_, x, piece, row, columns, normal_.row(0) + columns.first, normal_.pitch());
    product(w_.expand, n.data, n.pitch, columns.count, wide_.row(row) + columns.first, wide_.pitch(),
            w_.raw.activation);
  }

  const Prepared& w_;
  Ring normal_, wide_, filtered_;
};

/// Where the sums of a piece lie.
struct Sums {
  explicit Sums(const Expansion& e)
      : expand(static_cast<std::size_t>(2 * e.inputs)),
        reduce(expand + static_cast<std::size_t>(e.inputs * e.wide)),
        depthwise(reduce + static_cast<std::size_t>(e.outputs * e.wide)),
        size(depthwise + static_cast<std::size_t>(9 * e.wide)) {}
  std::size_t expand, reduce, depthwise, size;  ///< γ and β come first
};

/// One piece's way down its rows, backward. With a = W₁n, g = f(a), d = D ∗ g, h = f(d):
///   dd = W₂ᵀdy · f'(d),  da = Dᵀ ∗ dd · f'(a),  dn = W₁ᵀda.
/// Row y of da needs dd one row further, which needs g another row further: each is ahead of the next. With stride 2,
/// dd is kept at x's resolution, zero where the stride skips, so that Dᵀ and D's gradient are those of stride 1.
class Backward {
 public:
  Backward(const Prepared& weights, int strip)
      : w_(weights),
        normal_(w_.narrow, strip, kRing),
        wide_(w_.wide, strip, kRing),
        slope_(w_.wide, strip, kRing),
        filtered_(w_.wide, strip, kRing),
        filtered_slope_(w_.wide, strip, kRows),
        value_(w_.wide, strip, kRows),
        back_(w_.wide, strip, kRows),
        narrow_(w_.narrow, strip, 1) {
    if (w_.raw.stride == 2) compact_ = std::make_unique<Ring>(w_.wide, strip, 1);
  }

  void run(const ConstPlanes& x, const ConstPlanes& dy, const Piece& piece, const Planes& dx, float* sums) {
    const Columns columns(piece, x.width, 2);
    wide_.expect(columns.first, columns.count);
    filtered_.expect(columns.first, columns.count);
    next_wide_ = std::max(0, piece.first - 2);
    next_filtered_ = std::max(0, piece.first - 1);
    for (int top = piece.first; top < piece.last; top += kRows) {
      const int rows = std::min(kRows, piece.last - top);
      while (next_filtered_ <= std::min(top + rows, x.height - 1)) {
        const int last = std::min(top + rows, x.height - 1);
        const int count = std::min(kRows, last - next_filtered_ + 1);
        for (; next_wide_ <= std::min(next_filtered_ + count, x.height - 1); ++next_wide_) expand(x, piece);
        filter(x, dy, piece, count, sums);
        next_filtered_ += count;
      }
      descend(x, dy, piece, top, rows, dx, sums);
    }
  }

 private:
  /// g and f'(a) of row next_wide_.
  void expand(const ConstPlanes& x, const Piece& piece) {
    const Columns columns(piece, x.width, 2);
    const NormalRow n(w_, x, piece, next_wide_, columns, normal_.row(next_wide_) + columns.first, normal_.pitch());
    float* wide = wide_.row(next_wide_) + columns.first;
    float* slope = slope_.row(next_wide_) + columns.first;
    product(w_.expand, n.data, n.pitch, columns.count, wide, wide_.pitch());
    for (std::size_t c = 0; c < static_cast<std::size_t>(w_.wide); ++c) {
      float* plane = wide + c * wide_.pitch();
      activate(plane, columns.count, slope + c * slope_.pitch());
    }
  }

  /// x ← f(x), and f'(x).
  void activate(float* x, int count, float* slope) const {
    const auto n = static_cast<std::size_t>(count);
    if (w_.raw.activation == kernels::Activation::gelu) {
      kernels::gelu_and_slope(x, n, x, slope);
    } else {
      kernels::leaky_and_slope(x, n, x, slope);
    }
  }

  /// dd of `rows` rows from next_filtered_ on, and the gradients of W₂ and D that the piece's own part of them gives.
  void filter(const ConstPlanes& x, const ConstPlanes& dy, const Piece& piece, int rows, float* sums) {
    const int stride = w_.raw.stride;
    const Sums place(w_.raw);
    // Rows and columns of dy: those whose places in x are among the rows, the piece's columns and one on either side.
    const int top = (next_filtered_ + stride - 1) / stride;
    const int bottom = (next_filtered_ + rows + stride - 1) / stride;
    const int own_left = piece.left / stride;
    const int left = stride == 1 ? std::max(0, piece.left - 1) : own_left;
    const int right = std::min(dy.width, piece.right / stride + 1);
    const int count = right - left;
    const int first_column = left - own_left;  // in rows of dy's resolution, which start at own_left
    if (stride == 2) {
      for (int r = 0; r < rows; ++r) {
        std::fill_n(filtered_.row(next_filtered_ + r) - kMargin, filtered_.step(), 0.0f);
      }
    }
    std::array<const float*, kRows + 2> sources{};  // rows of g around those of dy
    std::array<const float*, kRows + 2> shifted{};
    for (int r = 0; r < stride * (bottom - top - 1) + 3; ++r) {
      const int row = stride * top + r - 1;
      sources[static_cast<std::size_t>(r)] = row < 0 || row >= x.height ? wide_.zeros() : wide_.row(row);
      shifted[static_cast<std::size_t>(r)] = sources[static_cast<std::size_t>(r)] + stride * first_column;
    }
    if (top == bottom) return;
    kernels::Depthwise d;
    d.weights = w_.raw.depthwise;
    d.channels = w_.wide;
    d.rows = shifted.data();
    d.pitch = wide_.pitch();
    d.stride = stride;
    d.pixels = static_cast<std::size_t>(count);
    d.out_rows = bottom - top;
    d.out = value_.row(0) + first_column;
    d.out_pitch = value_.pitch();
    d.out_row_step = value_.step();
    kernels::depthwise(d);
    for (int r = 0; r < bottom - top; ++r) {
      const int row = top + r;
      float* value = value_.row(r) + first_column;
      float* slope = filtered_slope_.row(r) + first_column;
      Ring& to = compact_ ? *compact_ : filtered_;
      float* gradient = to.row(compact_ ? 0 : row) + first_column;
      product(w_.reduce_back, dy.row(piece.sample, row) + left, dy.pitch(), count, gradient, to.pitch());
      for (std::size_t c = 0; c < static_cast<std::size_t>(w_.wide); ++c) {
        float* plane = gradient + c * to.pitch();
        activate(value + c * value_.pitch(), count, slope + c * filtered_slope_.pitch());
        kernels::multiply(plane, slope + c * filtered_slope_.pitch(), static_cast<std::size_t>(count));
        if (stride == 1) continue;
        float* spread = filtered_.row(stride * row) + stride * first_column + c * filtered_.pitch();
        for (int p = 0; p < count; ++p) spread[2 * p] = plane[p];
      }
    }
    // Of these rows, those that are the piece's own.
    const int first = std::max(piece.first / stride, top);
    const int last = std::min(piece.last / stride, bottom);
    if (first >= last) return;
    const int own_rows = last - first;
    kernels::OuterProduct o;
    o.a = dy.row(piece.sample, first) + own_left;
    o.a_pitch = dy.pitch();
    o.a_row_step = static_cast<std::size_t>(dy.channels) * dy.pitch();
    o.a_channels = w_.raw.outputs;
    o.b = value_.row(first - top);
    o.b_pitch = value_.pitch();
    o.b_row_step = value_.step();
    o.b_channels = w_.wide;
    o.pixels = static_cast<std::size_t>(piece.right / stride - own_left);
    o.rows = own_rows;
    o.out = sums + place.reduce;
    kernels::outer_product(o);
    const int together = stride == 1 && filtered_.is_contiguous(first, own_rows) ? own_rows : 1;
    for (int r = 0; r < own_rows; r += together) {
      kernels::DepthwiseGradient g;
      g.gradient = filtered_.row(stride * (first + r));
      g.row_step = filtered_.step();
      g.rows = sources.data() + stride * (first + r - top);
      g.pitch = filtered_.pitch();
      g.channels = w_.wide;
      g.pixels = static_cast<std::size_t>(piece.right - piece.left);
      g.out_rows = together;
      g.out = sums + place.depthwise;
      kernels::depthwise_gradient(g);
    }
  }

  /// dx of `rows` rows from `top` on, and the gradients of W₁, γ and β.
  void descend(const ConstPlanes& x, const ConstPlanes& dy, const Piece& piece, int top, int rows, const Planes& dx,
               float* sums) {
    const Sums place(w_.raw);
    const int count = piece.right - piece.left;
    std::array<const float*, kRows + 2> sources{};
    for (int r = 0; r < rows + 2; ++r) {
      const int row = top + r - 1;
      sources[static_cast<std::size_t>(r)] = row < 0 || row >= x.height ? filtered_.zeros() : filtered_.row(row);
    }
    kernels::Depthwise d;
    d.weights = w_.depthwise_back.data();
    d.channels = w_.wide;
    d.rows = sources.data();
    d.pitch = filtered_.pitch();
    d.pixels = static_cast<std::size_t>(count);
    d.out_rows = rows;
    d.out = back_.row(0);
    d.out_pitch = back_.pitch();
    d.out_row_step = back_.step();
    kernels::depthwise(d);
    for (int r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(w_.wide); ++c) {
        kernels::multiply(back_.row(r) + c * back_.pitch(), slope_.row(top + r) + c * slope_.pitch(),
                          static_cast<std::size_t>(count));
      }
    }
    const bool normed = w_.raw.gamma != nullptr;
    const int together = !normed || normal_.is_contiguous(top, rows) ? rows : 1;
    for (int r = 0; r < rows; r += together) {
      kernels::OuterProduct o;
      o.a = back_.row(r);
      o.a_pitch = back_.pitch();
      o.a_row_step = back_.step();
      o.a_channels = w_.wide;
      o.b = normed ? normal_.row(top + r) : x.row(piece.sample, top + r) + piece.left;
      o.b_pitch = normed ? normal_.pitch() : x.pitch();
      o.b_row_step = normed ? normal_.step() : static_cast<std::size_t>(x.channels) * x.pitch();
      o.b_channels = w_.narrow;
      o.pixels = static_cast<std::size_t>(count);
      o.rows = together;
      o.out = sums + place.expand;
      kernels::outer_product(o);
    }
    for (int r = 0; r < rows; ++r) {
      const int row = top + r;
      const float* back = back_.row(r);
      float* out = dx.row(piece.sample, row) + piece.left;
      if (!normed) {
        product(w_.expand_back, back, back_.pitch(), count, out, dx.pitch());
        continue;
      }
      product(w_.expand_back, back, back_.pitch(), count, narrow_.row(0), narrow_.pitch());
      const float* gradient = dy.row(piece.sample, row) + piece.left;
      for (std::size_t c = 0; c < static_cast<std::size_t>(w_.narrow); ++c) {
        std::memcpy(out + c * dx.pitch(), gradient + c * dy.pitch(), static_cast<std::size_t>(count) * sizeof(float));
      }
      kernels::LayerNormGradient g;
      g.in = x.row(piece.sample, row) + piece.left;
      g.in_pitch = x.pitch();
      g.gradient = narrow_.row(0);
      g.gradient_pitch = narrow_.pitch();
      g.gamma = w_.raw.gamma;
      g.channels = w_.narrow;
      g.pixels = static_cast<std::size_t>(count);
      g.out = out;
      g.out_pitch = dx.pitch();
      g.gamma_gradient = sums;
      g.beta_gradient = sums + w_.narrow;
      kernels::layer_norm_gradient(g);
    }
  }

  const Prepared& w_;
  int next_wide_ = 0;
  int next_filtered_ = 0;
  Ring normal_, wide_, slope_;              ///< n, g, f'(a)
  Ring filtered_, filtered_slope_, value_;  ///< dd, f'(d), h
  Ring back_, narrow_;                      ///< da, dn
  std::unique_ptr<Ring> compact_;           ///< a row of dd at dy's resolution, with stride 2
};

std::vector<Piece> pieces_of(const ConstPlanes& x, int wide) {
  // Rows that a piece computes beside its own cost less the taller it is; threads want many pieces.
  const int strip = std::max(64, kWideRow / wide / 64 * 64);
  const int tallest = std::max(4 * kRows, (x.height + 15) / 16 * 2);
  const int slab = slab_rows(x.batch, x.height, (x.width + strip - 1) / strip, tallest);
  return pieces(x.batch, x.height, x.width, slab, strip);
}

int widest(const std::vector<Piece>& list) {
  int width = 0;
  for (const Piece& piece : list) width = std::max(width, piece.right - piece.left);
  return width;
}

}  // namespace

void expansion(const ConstPlanes& x, const Expansion& layer, const Planes& y) {
  const Prepared prepared(layer);
  const auto list = pieces_of(x, layer.wide);
  const int strip = widest(list);
#pragma omp parallel
  {
    Forward forward(prepared, strip);
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < list.size(); ++i) forward.run(x, list[i], y);
  }
}

void expansion_backward(const ConstPlanes& x, const Expansion& layer, const ConstPlanes& dy, const Planes& dx,
                        const ExpansionGradients& gradients) {
  const Prepared prepared(layer);
  const auto list = pieces_of(x, layer.wide);
  const int strip = widest(list);
  const Sums place(layer);
  std::vector<float> total(place.size);
  std::vector<std::unique_ptr<Backward>> threads(static_cast<std::size_t>(omp_get_max_threads()));
  parallel_sums(static_cast<int>(list.size()), place.size, total.data(), [&](int i, float* sums) {
    auto& own = threads[static_cast<std::size_t>(omp_get_thread_num())];
    if (!own) own = std::make_unique<Backward>(prepared, strip);
    own->run(x, dy, list[static_cast<std::size_t>(i)], dx, sums);
  });
  const auto give = [&](std::size_t from, std::size_t to_end, float* to) {
    for (std::size_t k = from; k < to_end; ++k) to[k - from] += total[k];
  };
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  if (layer.gamma) {
    give(0, inputs, gradients.gamma);
    give(inputs, place.expand, gradients.beta);
  }
  give(place.expand, place.reduce, gradients.expand);
  give(place.reduce, place.depthwise, gradients.reduce);
  give(place.depthwise, place.size, gradients.depthwise);
}

}  // namespace snapcube::gradients
