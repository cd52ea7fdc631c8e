// A convolution is linear in its map and in its weights: both gradients are adjoints.

#include "gradients/convolution.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "map.h"

namespace snapcube::gradients {
namespace {

using testing::dot;
using testing::Maps;
using testing::random_values;

void expect_equal_sums(double a, double b, double scale) { EXPECT_NEAR(a, b, 1e-5 * scale); }

/// <A x, dy> = <x, Aᵀ dy> = <W, dW> for a layer without a bias.
template <typename Forward, typename Backward>
void expect_adjoint(const Maps& x, const std::vector<float>& weights, Maps& y, const Forward& forward,
                    const Backward& backward) {
  forward();
  const Maps dy(y.planes.batch, y.planes.height, y.planes.channels, y.planes.width, 91);
  Maps dx(x.planes.batch, x.planes.height, x.planes.channels, x.planes.width);
  std::vector<float> dw(weights.size(), 0.0f);
  backward(dy, dx, dw);
  const double scale = std::sqrt(static_cast<double>(y.values.size())) * 3;
  expect_equal_sums(dot(y.values, dy.values), dot(x.values, dx.values), scale);
  expect_equal_sums(dot(y.values, dy.values), dot(weights, dw), scale);
  // Not only their sums: the same with other numbers in place of the weights and of x.
  const auto others = random_values(weights.size(), 1, 17);
  Maps z(y.planes.batch, y.planes.height, y.planes.channels, y.planes.width);
  forward(others, z);
  expect_equal_sums(dot(z.values, dy.values), dot(others, dw), scale);
}

/// The layer as a function of its weights and its result.
template <typename F>
struct Layer {
  const std::vector<float>& weights;
  Maps& y;
  F run;
  void operator()() const { run(weights, y); }
  void operator()(const std::vector<float>& other, Maps& to) const { run(other, to); }
};
template <typename F>
Layer(const std::vector<float>&, Maps&, F) -> Layer<F>;

struct Shape {
  int batch, height, width, inputs, outputs, kernel, dilation;
};

TEST(Convolution, IsWhatItsFormulaSaysAndItsGradientsAreAdjoint) {
  for (const Shape& s : {Shape{1, 1, 1, 1, 1, 1, 1},
                         {2, 5, 19, 3, 5, 1, 1},
                         {1, 37, 64, 28, 29, 3, 1},
                         {2, 18, 23, 5, 3, 3, 1},
                         {1, 9, 16, 6, 7, 3, 3},
                         {2, 33, 20, 4, 15, 3, 6},
                         {1, 4, 5, 2, 2, 3, 6}}) {
    const Maps x(s.batch, s.height, s.inputs, s.width, 5);
    const int taps = s.kernel * s.kernel;
    const auto weights = random_values(static_cast<std::size_t>(s.outputs * s.inputs * taps), 1, 6);
    Maps y(s.batch, s.height, s.outputs, s.width);
    const auto layer = [&](const std::vector<float>& w) {
      return Convolution{s.inputs, s.outputs, s.kernel, s.dilation, w.data()};
    };
    const Layer forward{weights, y,
                        [&](const std::vector<float>& w, Maps& to) { convolve(x.view(), layer(w), to.planes); }};
    expect_adjoint(x, weights, y, forward, [&](const Maps& dy, Maps& dx, std::vector<float>& dw) {
      convolve_backward(x.view(), layer(weights), dy.view(), &dx.planes, dw.data());
      std::vector<float> again(dw.size(), 0.0f);
      convolve_backward(x.view(), layer(weights), dy.view(), nullptr, again.data());
      EXPECT_EQ(again, dw) << "without dx";
    });
    const int half = s.kernel / 2;
    for (int b = 0; b < s.batch; ++b) {
      for (int r = 0; r < s.height; ++r) {
        for (int c = 0; c < s.width; ++c) {
          for (int o = 0; o < s.outputs; ++o) {
            double sum = 0;
            for (int i = 0; i < s.inputs; ++i) {
              for (int t = 0; t < taps; ++t) {
                sum += weights[static_cast<std::size_t>((o * s.inputs + i) * taps + t)] *
                       x.at(b, r + (t / s.kernel - half) * s.dilation, i, c + (t % s.kernel - half) * s.dilation);
              }
            }
            // Winograd's transforms round up to ten times as much as a plain sum.
            ASSERT_NEAR(y.at(b, r, o, c), sum, 5e-5) << s.kernel << " " << s.dilation << " at " << r << " " << c;
          }
        }
      }
    }
  }
}

TEST(Downsampling, IsWhatItsFormulaSaysAndItsGradientsAreAdjoint) {
  for (const Shape& s : {Shape{1, 2, 2, 1, 1, 4, 1}, {2, 6, 10, 3, 5, 4, 1}, {1, 70, 36, 28, 56, 4, 1}}) {
    const Maps x(s.batch, s.height, s.inputs, s.width, 5);
    const auto weights = random_values(static_cast<std::size_t>(s.outputs * s.inputs * 16), 1, 6);
    Maps y(s.batch, s.height / 2, s.outputs, s.width / 2);
    const Layer forward{weights, y,
                        [&](const std::vector<float>& w, Maps& to) { downsample(x.view(), w.data(), to.planes); }};
    expect_adjoint(x, weights, y, forward, [&](const Maps& dy, Maps& dx, std::vector<float>& dw) {
      downsample_backward(x.view(), weights.data(), dy.view(), dx.planes, dw.data());
    });
    for (int b = 0; b < s.batch; ++b) {
      for (int r = 0; r < s.height / 2; ++r) {
        for (int c = 0; c < s.width / 2; ++c) {
          for (int o = 0; o < s.outputs; ++o) {
            double sum = 0;
            for (int i = 0; i < s.inputs; ++i) {
              for (int t = 0; t < 16; ++t) {
                sum += weights[static_cast<std::size_t>((o * s.inputs + i) * 16 + t)] *
                       x.at(b, 2 * r - 1 + t / 4, i, 2 * c - 1 + t % 4);
              }
            }
            ASSERT_NEAR(y.at(b, r, o, c), sum, 1e-4);
          }
        }
      }
    }
  }
}

TEST(Upsampling, IsWhatItsFormulaSaysAndItsGradientsAreAdjoint) {
  for (const Shape& s : {Shape{1, 1, 1, 1, 1, 2, 1}, {2, 3, 5, 6, 4, 2, 1}, {1, 35, 18, 56, 28, 2, 1}}) {
    const Maps x(s.batch, s.height, s.inputs, s.width, 5);
    const auto weights = random_values(static_cast<std::size_t>(s.outputs * s.inputs * 4), 1, 6);
    const auto bias = random_values(static_cast<std::size_t>(s.outputs), 1, 7);
    const std::vector<float> none(bias.size(), 0.0f);
    Maps y(s.batch, 2 * s.height, s.outputs, 2 * s.width);
    const Layer forward{weights, y, [&](const std::vector<float>& w, Maps& to) {
                          upsample(x.view(), w.data(), none.data(), to.planes);
                        }};
    expect_adjoint(x, weights, y, forward, [&](const Maps& dy, Maps& dx, std::vector<float>& dw) {
      upsample_backward(x.view(), weights.data(), dy.view(), dx.planes, dw.data());
    });
    upsample(x.view(), weights.data(), bias.data(), y.planes);
    for (int b = 0; b < s.batch; ++b) {
      for (int r = 0; r < 2 * s.height; ++r) {
        for (int c = 0; c < 2 * s.width; ++c) {
          for (int o = 0; o < s.outputs; ++o) {
            double sum = bias[static_cast<std::size_t>(o)];
            for (int i = 0; i < s.inputs; ++i) {
              sum += weights[static_cast<std::size_t>(((i * s.outputs + o) * 2 + r % 2) * 2 + c % 2)] *
                     x.at(b, r / 2, i, c / 2);
            }
            ASSERT_NEAR(y.at(b, r, o, c), sum, 2e-5);
          }
        }
      }
    }
  }
}

TEST(Convolution, TheSameForEveryNumberOfThreads) {
  const Maps x(2, 50, 5, 33, 1);
  const Maps dy(2, 50, 7, 33, 2);
  const auto weights = random_values(5 * 7 * 9, 1, 3);
  const Convolution c{5, 7, 3, 2, weights.data()};
  const int before = omp_get_max_threads();
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    Maps dx(2, 50, 5, 33);
    std::vector<float> dw(weights.size(), 0.0f);
    convolve_backward(x.view(), c, dy.view(), &dx.planes, dw.data());
    dw.insert(dw.end(), dx.values.begin(), dx.values.end());
    found.push_back(dw);
  }
  omp_set_num_threads(before);
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace snapcube::gradients
