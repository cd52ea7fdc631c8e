#include "engine/expansion.h"

#include <array>

#include "kernels/depthwise.h"
#include "kernels/elementwise.h"

namespace snapcube::engine {

namespace {

/// What the ring of wide rows may take of a core's L2 cache.
constexpr std::size_t kRingBytes = std::size_t{1} << 20;
constexpr int kRingRows = 6;
/// Pixels that go through the depthwise and the second 1×1 convolution together.
constexpr int kTile = 64;

/// Rows of a slab, at whose edges two wide rows are computed twice.
constexpr int kLeastSlab = 6;

/// Output rows at a time, so that their input fits the ring.
int rows_at_once(int stride) { return stride == 1 ? kRingRows - 2 : (kRingRows - 1) / 2; }

}  // namespace

/// Output columns [left, right) of a slab.
struct Expansion::Strip {
  int left;
  int right;
  std::size_t pitch;  ///< of a wide row; its column 0 is input column stride · left
};

Expansion::Expansion(const NamedTensor& expand, const NamedTensor& depthwise, const NamedTensor& reduce,
                     kernels::Activation activation, int stride)
    : expand_(pack(expand)),
      depthwise_(depthwise.values),
      reduce_(pack(reduce)),
      activation_(activation),
      stride_(stride) {}

// W(γ·n + β) = (Wγ)·n + Wβ.
Expansion::Expansion(const NamedTensor& gamma, const NamedTensor& beta, const NamedTensor& expand,
                     const NamedTensor& depthwise, const NamedTensor& reduce)
    : norm_(true),
      depthwise_(depthwise.values),
      reduce_(pack(reduce)),
      activation_(kernels::Activation::gelu),
      stride_(1) {
  const std::size_t inputs = gamma.values.size();
  const std::size_t outputs = expand.values.size() / inputs;
  FloatBuffer scaled = expand.values;
  for (std::size_t o = 0; o < outputs; ++o) {
    double sum = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      sum += static_cast<double>(expand.values[o * inputs + i]) * beta.values[i];
      scaled[o * inputs + i] *= gamma.values[i];
    }
    bias_.push_back(static_cast<float>(sum));
  }
  expand_ = pack(scaled.data(), static_cast<int>(outputs), static_cast<int>(inputs));
}

int Expansion::strip_width(int width) const {
  const int out = width / stride_;
  const std::size_t wide_row = kRingBytes / (kRingRows * sizeof(float) * static_cast<std::size_t>(expand_.outputs));
  const int most = std::max(kTile, static_cast<int>(wide_row) / stride_ / kTile * kTile);
  const int strips = (out + most - 1) / most;
  return ((out + strips - 1) / strips + 15) / 16 * 16;
}

std::size_t Expansion::scratch(int width) const {
  const std::size_t pitch = pitch_of(stride_ * strip_width(width) + 1);
  const auto wide = static_cast<std::size_t>(expand_.outputs);
  return kLine + (kRingRows + 1) * wide * pitch +                                              // ring, zeros
         Workspace::rounded(static_cast<std::size_t>(rows_at_once(stride_)) * wide * kTile) +  // depthwise results
         (norm_ ? static_cast<std::size_t>(expand_.depth) * pitch : 0) + 3 * kLine;
}

void Expansion::run(const Map& in, const Map* residual, const Map& out, Team& team) const {
  const int width = strip_width(in.width);
  team.slabs(out.height, kLeastSlab, [&](int first, int last, Workspace& own) {
    for (int left = 0; left < out.width; left += width) {
      const Strip strip{left, std::min(left + width, out.width), pitch_of(stride_ * width + 1)};
      run_strip(in, residual, out, first, last, strip, own);
    }
  });
}

/// Row y of the wide map, the strip's columns and one more on either side, where the map has them.
void Expansion::expand_row(const Map& in, int y, const Strip& strip, float* wide, Workspace& own) const {
  const int origin = stride_ * strip.left;
  const int from = std::max(0, origin - 1);
  const int to = std::min(in.width, stride_ * strip.right + 1);
  const auto pixels = static_cast<std::size_t>(to - from);
  const float* tap = in.row(y) + from;
  kernels::RowProduct p = expand_.product();
  p.pitch = in.pitch;
  const Workspace::Scope scope(own);
  if (norm_) {
    float* normal = own.take(static_cast<std::size_t>(in.channels) * strip.pitch);
    own.times.measure(Kernel::norm, [&] {
      kernels::layer_norm(tap, in.pitch, in.channels, pixels, nullptr, nullptr, normal, strip.pitch);
    });
    tap = normal;
    p.pitch = strip.pitch;
    p.bias = bias_.data();
  }
  p.taps = &tap;
  p.pixels = pixels;
  p.activation = activation_;
  if (y + 1 < in.height) {
    p.next = in.row(y + 1) + from;
    p.next_pitch = in.pitch;
  }
  p.out = wide + from - origin;
  p.out_pitch = strip.pitch;
  own.times.measure(Kernel::expand, [&] { kernels::row_product(p); });
}

void Expansion::run_strip(const Map& in, const Map* residual, const Map& out, int first, int last, const Strip& strip,
                          Workspace& own) const {
  const Workspace::Scope scope(own);
  const auto wide = static_cast<std::size_t>(expand_.outputs);
  const std::size_t ring_step = wide * strip.pitch;
  float* ring = own.take(kLine + (kRingRows + 1) * ring_step) + kLine;
  float* zeros = ring + kRingRows * ring_step;
  const int at_once = rows_at_once(stride_);
  float* filtered = own.take(static_cast<std::size_t>(at_once) * wide * kTile);
  std::fill_n(zeros, ring_step, 0.0f);
  // Outside the map the wide rows are 0; columns −1 and `end` are the ones that are looked at.
  const int end = in.width - stride_ * strip.left;
  for (std::size_t line = 0; line < kRingRows * wide; ++line) {
    (ring + line * strip.pitch)[-1] = 0;
    if (end < static_cast<int>(strip.pitch)) ring[line * strip.pitch + static_cast<std::size_t>(end)] = 0;
  }
  zeros[-1] = 0;

  int next = std::max(0, stride_ * first - 1);
  for (int y = first; y < last; y += at_once) {
    const int rows = std::min(at_once, last - y);
    const int top = stride_ * y - 1;
    const int bottom = stride_ * (y + rows - 1) + 1;
    const auto slot = [&](int row) { return ring + static_cast<std::size_t>(row % kRingRows) * ring_step; };
    for (; next <= std::min(bottom, in.height - 1); ++next) expand_row(in, next, strip, slot(next), own);
    for (int tile = strip.left; tile < strip.right; tile += kTile) {
      const auto pixels = static_cast<std::size_t>(std::min(kTile, strip.right - tile));
      std::array<const float*, kRingRows> sources{};
      for (int row = top; row <= bottom; ++row) {
        const float* source = row < 0 || row >= in.height ? zeros : slot(row);
        sources[static_cast<std::size_t>(row - top)] = source + stride_ * (tile - strip.left);
      }
      kernels::Depthwise d;
      d.weights = depthwise_.data();
      d.channels = expand_.outputs;
      d.rows = sources.data();
      d.pitch = strip.pitch;
      d.stride = stride_;
      d.pixels = pixels;
      d.out_rows = rows;
      d.activation = activation_;
      d.out = filtered;
      d.out_pitch = kTile;
      d.out_row_step = wide * kTile;
      own.times.measure(Kernel::depthwise, [&] { kernels::depthwise(d); });
      own.times.measure(Kernel::reduce, [&] {
        for (int r = 0; r < rows; ++r) {
          const float* tap = filtered + static_cast<std::size_t>(r) * wide * kTile;
          kernels::RowProduct p = reduce_.product();
          p.taps = &tap;
          p.pitch = kTile;
          p.pixels = pixels;
          p.residual = residual ? residual->row(y + r) + tile : nullptr;
          p.residual_pitch = residual ? residual->pitch : 0;
          p.out = out.row(y + r) + tile;
          p.out_pitch = out.pitch;
          kernels::row_product(p);
        }
      });
    }
  }
}

}  // namespace snapcube::engine
