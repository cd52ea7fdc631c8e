#include "engine/convolution.h"

#include "kernels/elementwise.h"

namespace snapcube::engine {

using kernels::RowProduct;

void convolve_3x3_row(const Packed& weights, const Map& in, int y, int dilation, RowProduct to, Workspace& workspace,
                      int width) {
  const float* taps[9];
  for (int dy = 0; dy < 3; ++dy) {
    const int row = y + (dy - 1) * dilation;
    const bool inside = row >= 0 && row < in.height;
    for (int dx = 0; dx < 3; ++dx) taps[3 * dy + dx] = inside ? in.row(row) + (dx - 1) * dilation : nullptr;
  }
  to.weights = weights.values.data();
  to.outputs = weights.outputs;
  to.depth = weights.depth;
  to.tap_count = weights.taps;
  to.taps = taps;
  to.pitch = in.pitch;
  to.pixels = static_cast<std::size_t>(width);
  if (y + dilation + 1 < in.height) {
    to.next = in.row(y + dilation + 1);
    to.next_pitch = in.pitch;
  }
  workspace.times.measure(Kernel::convolve, [&] { kernels::row_product(to); });
}

std::size_t Downsampling::scratch(int width) const {
  return kLine + 8 * static_cast<std::size_t>(weights_.depth) * pitch_of(width / 2);
}

// With the even and the odd pixels of a row apart, stride 2 is gone: of the four pixels 2x−1 … 2x+2 that output pixel x
// sees in a row, two are odd[x−1] and odd[x], two even[x] and even[x+1].
void Downsampling::run(const Map& in, const Map& out, Team& team) const {
  const std::size_t pitch = pitch_of(out.width);
  const std::size_t plane = static_cast<std::size_t>(in.channels) * pitch;
  const auto pairs = static_cast<std::size_t>((in.width + 1) / 2);  // of an odd row the last has a zero
  team.slabs(out.height, 8, [&](int first, int last, Workspace& own) {
    const Workspace::Scope scope(own);
    float* memory = own.take(scratch(in.width));
    std::fill_n(memory, scratch(in.width), 0.0f);
    // Input row r is at slot r mod 4: its even pixels, then its odd ones.
    const auto split = [&](int row) { return memory + kLine + static_cast<std::size_t>(row % 4) * 2 * plane; };
    int next = std::max(0, 2 * first - 1);
    for (int y = first; y < last; ++y) {
      own.times.measure(Kernel::resample, [&] {
        for (; next <= std::min(2 * y + 2, in.height - 1); ++next) {
          for (int c = 0; c < in.channels; ++c) {
            float* even = split(next) + static_cast<std::size_t>(c) * pitch;
            kernels::split_pairs(in.row(next) + static_cast<std::size_t>(c) * in.pitch, pairs, even, even + plane);
          }
        }
      });
      const float* taps[16];
      for (int dy = 0; dy < 4; ++dy) {
        const int row = 2 * y - 1 + dy;
        const bool inside = row >= 0 && row < in.height;
        const float* even = inside ? split(row) : nullptr;
        taps[4 * dy] = inside ? even + plane - 1 : nullptr;
        taps[4 * dy + 1] = even;
        taps[4 * dy + 2] = inside ? even + plane : nullptr;
        taps[4 * dy + 3] = inside ? even + 1 : nullptr;
      }
      RowProduct p = weights_.product();
      p.taps = taps;
      p.pitch = pitch;
      p.pixels = out.pixels();
      p.out = out.row(y);
      p.out_pitch = out.pitch;
      own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
    }
  });
}

Upsampling::Upsampling(const NamedTensor& weight, const NamedTensor& bias) {
  const auto inputs = static_cast<int>(weight.shape[0]);
  const auto outputs = static_cast<int>(weight.shape[1]);
  // The tensor is [input][output][dy][dx]; each row wants [dx·outputs + output][input].
  for (int dy = 0; dy < 2; ++dy) {
    FloatBuffer matrix;
    matrix.reserve(static_cast<std::size_t>(2 * inputs * outputs));
    for (int dx = 0; dx < 2; ++dx) {
      for (int o = 0; o < outputs; ++o) {
        for (int i = 0; i < inputs; ++i) {
          matrix.push_back(weight.values[static_cast<std::size_t>(((i * outputs + o) * 2 + dy) * 2 + dx)]);
        }
      }
    }
    rows_[dy] = pack(matrix.data(), 2 * outputs, inputs);
  }
  for (int dx = 0; dx < 2; ++dx) bias_.insert(bias_.end(), bias.values.begin(), bias.values.end());
}

std::size_t Upsampling::scratch(int width) const {
  return static_cast<std::size_t>(rows_[0].outputs) * pitch_of(width);
}

void Upsampling::run(const Map& in, const Map* base, const Map& out, Team& team) const {
  team.rows(out.height, [&](int y, Workspace& own) {
    const Workspace::Scope scope(own);
    float* halves = own.take(scratch(in.width));
    RowProduct p = rows_[y % 2].product();
    const float* tap = in.row(y / 2);
    p.taps = &tap;
    p.pitch = in.pitch;
    p.pixels = in.pixels();
    p.bias = bias_.data();
    if (y / 2 + 1 < in.height) {
      p.next = in.row(y / 2 + 1);
      p.next_pitch = in.pitch;
    }
    p.out = halves;
    p.out_pitch = in.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
    own.times.measure(Kernel::resample, [&] {
      for (int c = 0; c < out.channels; ++c) {
        const float* even = halves + static_cast<std::size_t>(c) * in.pitch;
        const float* odd = even + static_cast<std::size_t>(out.channels) * in.pitch;
        kernels::join_pairs(even, odd, in.pixels(),
                            base ? base->row(y) + static_cast<std::size_t>(c) * base->pitch : nullptr,
                            out.row(y) + static_cast<std::size_t>(c) * out.pitch);
      }
    });
  });
}

}  // namespace snapcube::engine
