#include "gradients/expansion.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "kernels/elementwise.h"
#include "map.h"

namespace snapcube::gradients {
namespace {

using testing::dot;
using testing::Maps;
using testing::random_values;

struct Shape {
  int batch, height, width, inputs, wide, outputs, stride;
  bool norm;
};
const Shape kShapes[] = {
    {1, 2, 2, 1, 1, 1, 1, false},       {2, 5, 19, 3, 7, 5, 1, false},     {1, 37, 70, 28, 56, 28, 1, false},
    {2, 6, 10, 3, 7, 5, 2, false},      {1, 38, 70, 28, 56, 56, 2, false}, {1, 132, 130, 4, 600, 4, 2, false},
    {1, 132, 130, 4, 600, 4, 1, false}, {2, 9, 21, 6, 24, 6, 1, true},     {1, 40, 134, 28, 112, 28, 1, true},
    {1, 9, 330, 4, 112, 4, 1, true},    {1, 40, 134, 3, 600, 3, 1, true}};

/// A layer with random weights.
struct Example {
  explicit Example(const Shape& s) : shape(s) {
    const auto draw = [&](int n, double range, std::uint64_t seed) {
      return random_values(static_cast<std::size_t>(n), range, seed);
    };
    parts = {draw(s.norm ? s.inputs : 0, 1, 11), draw(s.norm ? s.inputs : 0, 0.5, 12),
             draw(s.wide * s.inputs, 1.5 / std::sqrt(s.inputs), 13), draw(s.wide * 9, 0.7, 14),
             draw(s.outputs * s.wide, 1.5 / std::sqrt(s.wide), 15)};
  }
  Expansion layer() const {
    Expansion e;
    e.inputs = shape.inputs;
    e.wide = shape.wide;
    e.outputs = shape.outputs;
    e.stride = shape.stride;
    e.activation = shape.norm ? kernels::Activation::gelu : kernels::Activation::leaky_relu;
    e.gamma = shape.norm ? parts[0].data() : nullptr;
    e.beta = shape.norm ? parts[1].data() : nullptr;
    e.expand = parts[2].data();
    e.depthwise = parts[3].data();
    e.reduce = parts[4].data();
    return e;
  }
  Shape shape;
  std::vector<std::vector<float>> parts;
};

TEST(Expansion, IsWhatItsFormulaSays) {
  for (const Shape& s : kShapes) {
    if (s.wide > 100 && s.height > 100) continue;  // strips and bands: the next test has them
    const Example example(s);
    const Expansion e = example.layer();
    const Maps x(s.batch, s.height, s.inputs, s.width, 3);
    Maps y(s.batch, s.height / s.stride, s.outputs, s.width / s.stride);
    expansion(x.view(), e, y.planes);
    const auto f = [&](double v) {
      return s.norm ? v * 0.5 * std::erfc(-v / std::sqrt(2.0))
                    : std::max(v, static_cast<double>(kernels::kLeakySlope) * v);
    };
    Maps wide(s.batch, s.height, s.wide, s.width);
    for (int b = 0; b < s.batch; ++b) {
      for (int r = 0; r < s.height; ++r) {
        for (int c = 0; c < s.width; ++c) {
          double mean = 0, square = 0;
          for (int i = 0; i < s.inputs; ++i) mean += x.at(b, r, i, c) / s.inputs;
          for (int i = 0; i < s.inputs; ++i) square += std::pow(x.at(b, r, i, c) - mean, 2) / s.inputs;
          for (int k = 0; k < s.wide; ++k) {
            double sum = 0;
            for (int i = 0; i < s.inputs; ++i) {
              double n = x.at(b, r, i, c);
              if (s.norm) n = (n - mean) / std::sqrt(square + kernels::kLayerNormEpsilon) * e.gamma[i] + e.beta[i];
              sum += e.expand[k * s.inputs + i] * n;
            }
            wide.planes.row(b, r)[k * s.width + c] = static_cast<float>(f(sum));
          }
        }
      }
      for (int r = 0; r < s.height / s.stride; ++r) {
        for (int c = 0; c < s.width / s.stride; ++c) {
          std::vector<double> h(static_cast<std::size_t>(s.wide), 0.0);
          for (int k = 0; k < s.wide; ++k) {
            double sum = 0;
            for (int t = 0; t < 9; ++t) {
              sum += e.depthwise[9 * k + t] * wide.at(b, s.stride * r + t / 3 - 1, k, s.stride * c + t % 3 - 1);
            }
            h[static_cast<std::size_t>(k)] = f(sum);
          }
          for (int o = 0; o < s.outputs; ++o) {
            double sum = s.norm ? x.at(b, r, o, c) : 0;
            for (int k = 0; k < s.wide; ++k) sum += e.reduce[o * s.wide + k] * h[static_cast<std::size_t>(k)];
            ASSERT_NEAR(y.at(b, r, o, c), sum, 3e-5) << s.inputs << "→" << s.outputs << " at " << r << " " << c;
          }
        }
      }
    }
  }
}

TEST(Expansion, GradientsAreDifferenceQuotients) {
  for (const Shape& s : kShapes) {
    Example example(s);
    Maps x(s.batch, s.height, s.inputs, s.width, 3);
    const Maps dy(s.batch, s.height / s.stride, s.outputs, s.width / s.stride, 4);
    Maps dx(s.batch, s.height, s.inputs, s.width);
    std::vector<std::vector<float>> d;
    for (const auto& part : example.parts) d.emplace_back(part.size(), 0.0f);
    expansion_backward(x.view(), example.layer(), dy.view(), dx.planes,
                       {d[0].data(), d[1].data(), d[2].data(), d[3].data(), d[4].data()});
    const auto loss = [&] {
      Maps y(s.batch, s.height / s.stride, s.outputs, s.width / s.stride);
      expansion(x.view(), example.layer(), y.planes);
      return dot(y.values, dy.values);
    };
    // Along the gradient itself and along a direction drawn at random.
    const auto expect_slope = [&](std::vector<float>& values, const std::vector<float>& gradient, const char* name) {
      if (values.empty()) return;
      const double length = std::sqrt(dot(gradient, gradient));
      auto random = random_values(values.size(), 1, 77);
      const double random_length = std::sqrt(dot(random, random));
      for (std::size_t i = 0; i < values.size(); ++i) random[i] /= static_cast<float>(random_length);
      auto along = gradient;
      for (float& v : along) v /= static_cast<float>(length);
      for (const auto& direction : {along, random}) {
        constexpr float kStep = 2e-3f;
        const auto before = values;
        const auto at = [&](float step) {
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = before[i] + step * direction[i];
          const double result = loss();
          values = before;
          return result;
        };
        EXPECT_NEAR((at(kStep) - at(-kStep)) / (2 * kStep), dot(gradient, direction), 0.01 * length)
            << name << " of " << s.inputs << "→" << s.wide << "→" << s.outputs << ", stride " << s.stride;
      }
    };
    expect_slope(x.values, dx.values, "x");
    const char* names[] = {"gamma", "beta", "expand", "depthwise", "reduce"};
    for (std::size_t i = 0; i < 5; ++i) expect_slope(example.parts[i], d[i], names[i]);
  }
}

/// The last columns of a map, as many as `part` has.
void copy_right_part(const Maps& map, Maps& part) {
  const auto& p = part.planes;
  std::size_t i = 0;
  for (int r = 0; r < p.height; ++r) {
    for (int k = 0; k < p.channels; ++k) {
      for (int c = 0; c < p.width; ++c) {
        part.values[i++] = static_cast<float>(map.at(0, r, k, map.planes.width - p.width + c));
      }
    }
  }
}

// Wide maps are worked on in strips of 64 columns at least, by threads that use their memory again: what one strip has
// left there must not reach the map's edge in the next. A part of the map that is a strip of its own must give the
// same.
TEST(Expansion, StripsLeaveNothingToEachOther) {
  constexpr int kFar = 8;  // columns further than any that a strip sees beside its own
  for (const int stride : {1, 2}) {
    for (const int width : {66, 94, 126}) {
      const Shape s = {1, 72, width, 4, 600, 4, stride, stride == 1};
      const int left = width > 64 + 2 * kFar ? 64 : width - 4 * kFar;
      const Example example(s);
      const Maps x(s.batch, s.height, s.inputs, width, 3);
      const Maps dy(s.batch, s.height / stride, s.outputs, width / stride, 4);
      const auto run = [&](const Maps& x_of, const Maps& dy_of, Maps& y, Maps& dx) {
        std::vector<std::vector<float>> d;
        for (const auto& part : example.parts) d.emplace_back(part.size(), 0.0f);
        expansion(x_of.view(), example.layer(), y.planes);
        expansion_backward(x_of.view(), example.layer(), dy_of.view(), dx.planes,
                           {d[0].data(), d[1].data(), d[2].data(), d[3].data(), d[4].data()});
      };
      Maps y(1, s.height / stride, s.outputs, width / stride);
      Maps dx(1, s.height, s.inputs, width);
      run(x, dy, y, dx);
      Maps y_part(1, s.height / stride, s.outputs, (width - left) / stride);
      Maps dx_part(1, s.height, s.inputs, width - left);
      Maps x_part(1, s.height, s.inputs, width - left);
      Maps dy_part(1, s.height / stride, s.outputs, (width - left) / stride);
      copy_right_part(x, x_part);
      copy_right_part(dy, dy_part);
      run(x_part, dy_part, y_part, dx_part);
      for (int r = 0; r < s.height; ++r) {
        for (int c = left + kFar; c < width; ++c) {
          for (int k = 0; k < s.inputs; ++k) {
            ASSERT_NEAR(dx.at(0, r, k, c), dx_part.at(0, r, k, c - left), 1e-4) << "row " << r << ", column " << c;
            if (r % stride != 0 || c % stride != 0) continue;
            ASSERT_NEAR(y.at(0, r / stride, k, c / stride), y_part.at(0, r / stride, k, (c - left) / stride), 1e-4)
                << "row " << r << ", column " << c;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace snapcube::gradients
