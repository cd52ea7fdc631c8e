#include "engine/winograd.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/random.h"

namespace snapcube::engine {
namespace {

struct Case {
  int inputs, outputs, height, width;
};

NamedTensor kernels_of(const Case& c, Random& random) {
  NamedTensor tensor{
      "weight", {c.outputs, c.inputs, 3, 3}, FloatBuffer(static_cast<std::size_t>(c.outputs * c.inputs * 9))};
  for (float& v : tensor.values) v = static_cast<float>(random.normal());
  return tensor;
}

float& at(const Map& map, int c, int y, int x) { return map.row(y)[static_cast<std::size_t>(c) * map.pitch + x]; }

void fill(const Map& map, Random& random) {
  for (int y = 0; y < map.height; ++y) {
    for (int c = 0; c < map.channels; ++c) {
      for (int x = 0; x < map.width; ++x) at(map, c, y, x) = static_cast<float>(random.normal());
    }
  }
}

/// Pixel by pixel, in double precision.
double convolved(const Map& in, const NamedTensor& w, int o, int y, int x) {
  double sum = 0;
  for (int c = 0; c < in.channels; ++c) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (y + dy < 0 || y + dy >= in.height || x + dx < 0 || x + dx >= in.width) continue;
        const int tap = ((o * in.channels + c) * 3 + dy + 1) * 3 + dx + 1;
        sum += static_cast<double>(at(in, c, y + dy, x + dx)) *
               static_cast<double>(w.values[static_cast<std::size_t>(tap)]);
      }
    }
  }
  return sum;
}

double gelu(double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); }

TEST(WinogradConvolution, IsTheConvolutionAtEverySize) {
  for (const Case& c : {Case{3, 5, 1, 1}, Case{1, 2, 2, 3}, Case{4, 4, 3, 16}, Case{7, 3, 4, 17}, Case{28, 28, 5, 33},
                        Case{5, 9, 9, 13}, Case{6, 6, 13, 47}}) {
    Random random(static_cast<std::uint64_t>(c.height * 100 + c.width));
    const NamedTensor weight = kernels_of(c, random);
    const WinogradConvolution layer(weight);
    const MapStorage in(c.inputs, c.height, c.width);
    const MapStorage base(c.outputs, c.height, c.width);
    fill(in.view(), random);
    fill(base.view(), random);
    for (const int threads : {1, 3}) {
      Team team;
      team.prepare(threads, layer.scratch(c.width), 0);
      const MapStorage plain(c.outputs, c.height, c.width);
      const MapStorage active(c.outputs, c.height, c.width);
      MapStorage in_place(c.outputs, c.height, c.width);
      for (int y = 0; y < c.height; ++y) {
        std::copy_n(base.view().row(y), base.view().row_step, in_place.view().row(y));
      }
      layer.run(in.view(), WinogradConvolution::After::nothing, nullptr, plain.view(), team);
      layer.run(in.view(), WinogradConvolution::After::gelu, nullptr, active.view(), team);
      const Map target = in_place.view();
      layer.run(in.view(), WinogradConvolution::After::nothing, &target, target, team);
      const double bound = 2e-6 * std::sqrt(9.0 * c.inputs) * 10;
      for (int o = 0; o < c.outputs; ++o) {
        for (int y = 0; y < c.height; ++y) {
          for (int x = 0; x < c.width; ++x) {
            const double expected = convolved(in.view(), weight, o, y, x);
            ASSERT_NEAR(at(plain.view(), o, y, x), expected, bound) << c.height << "×" << c.width;
            ASSERT_NEAR(at(active.view(), o, y, x), gelu(expected), bound + 1e-5);
            ASSERT_NEAR(at(target, o, y, x), expected + static_cast<double>(at(base.view(), o, y, x)), bound);
          }
          // What the next convolution reads beside the map stays zero.
          for (std::size_t x = static_cast<std::size_t>(c.width); x < plain.view().pitch; ++x) {
            ASSERT_EQ(plain.view().row(y)[static_cast<std::size_t>(o) * plain.view().pitch + x], 0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace snapcube::engine
