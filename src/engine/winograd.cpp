#include "engine/winograd.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace snapcube::engine {

namespace {

using kernels::kWinogradOutputs;
using kernels::kWinogradProducts;
using kernels::kWinogradWeights;

constexpr int kColumns = 3;  // of a kernel

}  // namespace

WinogradWeights winograd_weights(const float* weights, int outputs, int inputs, bool turned) {
  WinogradWeights packed;
  const auto weight = [&](int o, int i, int row, int column) {
    const int from = turned ? i * outputs + o : o * inputs + i;
    const int tap = turned ? 8 - (3 * row + column) : 3 * row + column;
    return weights[from * 9 + tap];
  };
  FloatBuffer matrix(static_cast<std::size_t>(outputs * inputs * kColumns));
  for (std::size_t p = 0; p < kWinogradProducts; ++p) {
    std::size_t at = 0;
    for (int o = 0; o < outputs; ++o) {
      for (int i = 0; i < inputs; ++i) {
        for (int t = 0; t < kColumns; ++t) {
          double sum = 0;
          for (int row = 0; row < 3; ++row) {
            sum += kWinogradWeights[p][static_cast<std::size_t>(row)] * static_cast<double>(weight(o, i, row, t));
          }
          matrix[at++] = static_cast<float>(sum);
        }
      }
    }
    packed[p] = pack(matrix.data(), outputs, inputs, kColumns);
  }
  return packed;
}

WinogradConvolution::WinogradConvolution(const NamedTensor& weight)
    : inputs_(static_cast<int>(weight.shape[1])),
      outputs_(static_cast<int>(weight.shape[0])),
      weights_(winograd_weights(weight.values.data(), outputs_, inputs_)) {}

// The six transformed rows with a line before the first, then the six products, then a group of output rows.
std::size_t WinogradConvolution::scratch(int width) const {
  const std::size_t pitch = pitch_of(width);
  return 2 * kLine + kWinogradProducts * static_cast<std::size_t>(inputs_ + outputs_) * pitch +
         kWinogradOutputs * static_cast<std::size_t>(outputs_) * pitch;
}

void WinogradConvolution::run(const Map& in, After after, const Map* base, const Map& out, Team& team) const {
  const int groups = (in.height + kWinogradOutputs - 1) / kWinogradOutputs;
  team.slabs(groups, 1, [&](int first, int last, Workspace& own) {
    const Workspace::Scope scope(own);
    float* memory = own.take(scratch(in.width));
    // The gaps between channels, which neighbours read, stay zero.
    std::fill_n(memory, kLine + kWinogradProducts * static_cast<std::size_t>(inputs_) * in.pitch + kLine, 0.0f);
    for (int g = first; g < last; ++g) run_group(in, g * kWinogradOutputs, after, base, out, own, memory);
  });
}

void WinogradConvolution::run_group(const Map& in, int first, After after, const Map* base, const Map& out,
                                    Workspace& own, float* memory) const {
  const auto width = static_cast<std::size_t>(in.width);
  const std::size_t seen_step = static_cast<std::size_t>(inputs_) * in.pitch;
  const std::size_t made_step = static_cast<std::size_t>(outputs_) * in.pitch;
  float* seen = memory + kLine;
  float* made = seen + kWinogradProducts * seen_step + kLine;
  float* finished = made + kWinogradProducts * made_step;
  own.times.measure(Kernel::resample, [&] {
    for (int c = 0; c < inputs_; ++c) {
      const std::size_t channel = static_cast<std::size_t>(c) * in.pitch;
      const float* rows[kWinogradProducts];
      float* to[kWinogradProducts];
      for (int i = 0; i < kWinogradProducts; ++i) {
        const int y = first - 1 + i;
        rows[i] = y >= 0 && y < in.height ? in.row(y) + channel : nullptr;
        to[i] = seen + static_cast<std::size_t>(i) * seen_step + channel;
      }
      kernels::winograd_input(rows, width, to);
    }
  });
  const float* products[kWinogradProducts];
  for (int i = 0; i < kWinogradProducts; ++i) {
    const float* at = seen + static_cast<std::size_t>(i) * seen_step;
    const float* taps[kColumns] = {at - 1, at, at + 1};
    kernels::RowProduct p = weights_[static_cast<std::size_t>(i)].product();
    p.taps = taps;
    p.pitch = in.pitch;
    p.pixels = width;
    p.out = made + static_cast<std::size_t>(i) * made_step;
    p.out_pitch = in.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
    products[i] = p.out;
  }
  const int count = std::min(kWinogradOutputs, in.height - first);
  own.times.measure(Kernel::resample, [&] {
    for (int c = 0; c < outputs_; ++c) {
      const std::size_t channel = static_cast<std::size_t>(c) * in.pitch;
      const float* from[kWinogradProducts];
      float* to[kWinogradOutputs];
      for (int i = 0; i < kWinogradProducts; ++i) from[i] = products[i] + channel;
      for (int j = 0; j < kWinogradOutputs; ++j) {
        float* direct = out.row(first + j) + static_cast<std::size_t>(c) * out.pitch;
        to[j] = j >= count ? nullptr : base ? finished + static_cast<std::size_t>(j) * in.pitch : direct;
      }
      kernels::winograd_output(from, width, to);
      for (int j = 0; j < count; ++j) {
        if (after == After::gelu) kernels::gelu(to[j], width);
        if (!base) continue;
        const float* under = base->row(first + j) + static_cast<std::size_t>(c) * base->pitch;
        float* result = out.row(first + j) + static_cast<std::size_t>(c) * out.pitch;
        for (std::size_t x = 0; x < width; ++x) result[x] = under[x] + to[j][x];
      }
    }
  });
}

}  // namespace snapcube::engine
