#include "kernels/elementwise.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

TEST(Elementwise, GeluIsExactToAMillionth) {
  testing::on_every_target([] {
    std::vector<float> x;
    for (double v = -12; v <= 12; v += 1.0 / 4096) x.push_back(static_cast<float>(v));
    for (const float v : {1e-30f, -1e-30f, 1e-3f, -1e-3f, 100.0f, -100.0f, 1e30f, -1e30f, 0.0f}) x.push_back(v);
    std::vector<float> y = x;
    gelu(y.data(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wanted = 0.5 * x[i] * std::erfc(-x[i] / std::sqrt(2.0));
      const double last_digit = 6e-8 * std::fabs(wanted);  // of the float itself, above 8
      ASSERT_NEAR(y[i], wanted, std::min(1e-6, 2e-5 * std::fabs(static_cast<double>(x[i]))) + last_digit) << x[i];
    }
  });
}

TEST(Elementwise, ExponentialIsExactToAMillionth) {
  testing::on_every_target([] {
    std::vector<float> x;
    for (double v = -87; v <= 88; v += 1.0 / 512) x.push_back(static_cast<float>(v));
    std::vector<float> y = x;
    exponential(y.data(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wanted = std::exp(static_cast<double>(x[i]));
      ASSERT_NEAR(y[i], wanted, 1e-6 * wanted) << x[i];
    }
    std::vector<float> far = {-88, -1000, -1e30f};
    exponential(far.data(), far.size());
    for (const float v : far) EXPECT_NEAR(v, 1.6e-38, 0.1e-38);
  });
}

TEST(Elementwise, EveryLength) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 40; ++n) {
      Planes a(2, n, n % 17, 3, 0, 4);
      Planes b = a;
      gelu(a.data(), n);
      plain::gelu(b.data(), n);
      testing::expect_near(a.values, b.values, 1e-6);
      exponential(a.data(), n);
      plain::exponential(b.data(), n);
      testing::expect_near(a.values, b.values, 1e-5);
    }
  });
}

TEST(Elementwise, Multiply) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 50; ++n) {
      const Planes x(3, n, n % 17, 4);
      const Planes y(3, n, 1, 5);
      Planes a(3, n, 2, 6);
      Planes b = a;
      multiply(x.data(), x.pitch, y.data(), y.pitch, 3, n, a.data(), a.pitch);
      plain::multiply(x.data(), x.pitch, y.data(), y.pitch, 3, n, b.data(), b.pitch);
      EXPECT_EQ(a.values, b.values);
    }
  });
}

TEST(Elementwise, LayerNorm) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 70; ++n) {
      for (const bool affine : {false, true}) {
        const Planes in(13, n, n % 17, 4, 0, 3);
        const auto gamma = testing::random_values(13, 2, 5);
        const auto beta = testing::random_values(13, 2, 6);
        Planes a(13, n, 2, 7);
        Planes b = a;
        const float* g = affine ? gamma.data() : nullptr;
        layer_norm(in.data(), in.pitch, 13, n, g, beta.data(), a.data(), a.pitch);
        plain::layer_norm(in.data(), in.pitch, 13, n, g, beta.data(), b.data(), b.pitch);
        testing::expect_near(a.values, b.values, 1e-5);
      }
    }
  });
}

TEST(Elementwise, LayerNormHasMeanZeroAndVarianceOne) {
  Planes x(28, 33, 0, 1, 0, 100);
  layer_norm(x.data(), x.pitch, 28, 33, nullptr, nullptr, x.data(), x.pitch);
  for (std::size_t p = 0; p < 33; ++p) {
    double sum = 0;
    double squares = 0;
    for (std::size_t c = 0; c < 28; ++c) {
      const double v = x.data()[c * x.pitch + p];
      sum += v;
      squares += v * v;
    }
    EXPECT_NEAR(sum, 0, 1e-4);
    EXPECT_NEAR(squares / 28, 1, 1e-4);
  }
}

TEST(Elementwise, PairsAreSplitAndJoined) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 40; ++n) {
      const Planes in(1, 2 * n, n % 17, 3);
      const Planes base(1, 2 * n, 1, 4);
      Planes halves(2, n, 2, 5);
      Planes plain_halves = halves;
      split_pairs(in.data(), n, halves.data(), halves.data() + halves.pitch);
      plain::split_pairs(in.data(), n, plain_halves.data(), plain_halves.data() + halves.pitch);
      EXPECT_EQ(halves.values, plain_halves.values);
      for (const float* onto : {static_cast<const float*>(nullptr), base.data()}) {
        Planes joined(1, 2 * n, 3, 6);
        Planes plain_joined = joined;
        join_pairs(halves.data(), halves.data() + halves.pitch, n, onto, joined.data());
        plain::join_pairs(halves.data(), halves.data() + halves.pitch, n, onto, plain_joined.data());
        EXPECT_EQ(joined.values, plain_joined.values);
        if (!onto && n > 0) {
          EXPECT_EQ(joined.data()[2 * n - 1], in.data()[2 * n - 1]);
        }
      }
    }
  });
}

}  // namespace
}  // namespace snapcube::kernels
