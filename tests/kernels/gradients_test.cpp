#include "kernels/gradients.h"

#include <snapcube/array.h>

#include "every_target.h"
#include "kernels/bucket_gradient.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

void expect_same_outer(int a_channels, int b_channels, std::size_t pixels, int rows, std::size_t offset) {
  SCOPED_TRACE(::testing::Message() << a_channels << "×" << b_channels << ", " << pixels << " pixels, " << rows);
  const Planes a(a_channels * rows, pixels, offset, 1);
  const Planes b(b_channels * rows, pixels, offset + 3, 2);
  auto fast = testing::random_values(static_cast<std::size_t>(a_channels * b_channels), 1, 3);
  auto plain = fast;
  OuterProduct o{a.data(),
                 a.pitch,
                 static_cast<std::size_t>(a_channels) * a.pitch,
                 a_channels,
                 b.data(),
                 b.pitch,
                 static_cast<std::size_t>(b_channels) * b.pitch,
                 b_channels,
                 pixels,
                 rows,
                 fast.data()};
  outer_product(o);
  o.out = plain.data();
  plain::outer_product(o);
  testing::expect_near(fast, plain, 2e-5);
}

TEST(OuterProduct, EveryLengthAndSize) {
  testing::on_every_target([] {
    for (std::size_t pixels = 0; pixels <= 67; ++pixels) expect_same_outer(7, 5, pixels, 2, pixels % 17);
    for (int n = 1; n <= 15; ++n) {
      expect_same_outer(n, 13, 37, 1, 0);
      expect_same_outer(13, n, 37, 3, 1);
    }
    expect_same_outer(28, 112, 256, 4, 0);
  });
}

TEST(GeluAndSlope, AgreesWithItsFormula) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 35; ++n) {
      const auto x = testing::random_values(n, 4, n + 1);
      std::vector<float> value(n), slope(n), plain_value(n), plain_slope(n);
      gelu_and_slope(x.data(), n, value.data(), slope.data());
      plain::gelu_and_slope(x.data(), n, plain_value.data(), plain_slope.data());
      testing::expect_near(value, plain_value, 2e-6);
      testing::expect_near(slope, plain_slope, 6e-6);
    }
    for (double v = -12; v <= 12; v += 1.0 / 64) {
      const auto x = static_cast<float>(v);
      float value = 0, slope = 0, plain_value = 0, plain_slope = 0;
      gelu_and_slope(&x, 1, &value, &slope);
      plain::gelu_and_slope(&x, 1, &plain_value, &plain_slope);
      ASSERT_NEAR(value, plain_value, 2e-6) << v;
      ASSERT_NEAR(slope, plain_slope, 6e-6) << v;
    }
  });
}

TEST(GeluAndSlope, TheSlopeIsTheDifferenceQuotient) {
  for (double v = -5; v <= 5; v += 0.37) {
    const float x[2] = {static_cast<float>(v - 1e-2), static_cast<float>(v + 1e-2)};
    float value[2], slope[2];
    plain::gelu_and_slope(x, 2, value, slope);
    EXPECT_NEAR((value[1] - value[0]) / (x[1] - x[0]), (slope[0] + slope[1]) / 2, 1e-4) << v;
  }
}

TEST(LeakyAndSlope, EveryLength) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 35; ++n) {
      auto x = testing::random_values(n, 4, n + 1);
      if (n > 2) x[2] = 0;
      std::vector<float> value(n), slope(n), plain_value(n), plain_slope(n);
      leaky_and_slope(x.data(), n, value.data(), slope.data());
      plain::leaky_and_slope(x.data(), n, plain_value.data(), plain_slope.data());
      EXPECT_EQ(value, plain_value);
      EXPECT_EQ(slope, plain_slope);
    }
  });
}

TEST(Multiply, EveryLength) {
  testing::on_every_target([] {
    for (std::size_t n = 0; n <= 35; ++n) {
      auto x = testing::random_values(n, 1, 1);
      const auto y = testing::random_values(n, 1, 2);
      auto plain = x;
      multiply(x.data(), y.data(), n);
      plain::multiply(plain.data(), y.data(), n);
      EXPECT_EQ(x, plain);
    }
  });
}

TEST(DepthwiseGradient, EveryLengthAndMisalignment) {
  testing::on_every_target([] {
    for (std::size_t pixels = 1; pixels <= 50; ++pixels) {
      const int channels = 3;
      const int out_rows = 1 + static_cast<int>(pixels % 4);
      std::vector<Planes> rows;
      std::vector<const float*> pointers;
      for (int r = 0; r < out_rows + 2; ++r) {
        rows.emplace_back(channels, pixels, pixels % 17, 10 + static_cast<std::uint64_t>(r), 1);
      }
      for (const Planes& row : rows) pointers.push_back(row.data());
      const std::size_t pitch = rows.front().pitch;
      const std::size_t step = channels * pitch;
      const auto gradient = testing::random_values(step * static_cast<std::size_t>(out_rows), 1, 5);
      auto fast = testing::random_values(channels * 9, 1, 6);
      auto plain = fast;
      DepthwiseGradient g{gradient.data(), step, pointers.data(), pitch, channels, pixels, out_rows, fast.data()};
      depthwise_gradient(g);
      g.out = plain.data();
      plain::depthwise_gradient(g);
      testing::expect_near(fast, plain, 1e-5);
    }
  });
}

TEST(LayerNormGradient, EveryLengthAndChannels) {
  testing::on_every_target([] {
    for (std::size_t pixels = 1; pixels <= 40; ++pixels) {
      const int channels = 1 + static_cast<int>(pixels * 7 % 60);
      const Planes x(channels, pixels, pixels % 17, 1, 0, 2);
      const Planes dy(channels, pixels, 3, 2);
      const auto gamma = testing::random_values(static_cast<std::size_t>(channels), 1, 3);
      Planes fast(channels, pixels, 1, 4);
      Planes plain = fast;
      std::vector<float> sums(static_cast<std::size_t>(2 * channels), 0.5f);
      std::vector<float> plain_sums = sums;
      LayerNormGradient g{x.data(), x.pitch,     dy.data(),  dy.pitch,    gamma.data(),          channels,
                          pixels,   fast.data(), fast.pitch, sums.data(), sums.data() + channels};
      layer_norm_gradient(g);
      g.out = plain.data();
      g.gamma_gradient = plain_sums.data();
      g.beta_gradient = plain_sums.data() + channels;
      plain::layer_norm_gradient(g);
      testing::expect_near(fast.values, plain.values, channels == 1 ? 1e-3 : 2e-4);
      testing::expect_near(sums, plain_sums, 1e-4);
    }
  });
}

TEST(BucketGradient, EverySize) {
  testing::on_every_target([] {
    for (const std::size_t size : {1, 2, 5, 16, 31, 33, 63, 64, 65}) {
      for (const int depth : {1, 7, 28}) {
        SCOPED_TRACE(::testing::Message() << size << " tokens, " << depth << " channels");
        const std::size_t tokens = size + 9;
        const Planes q(depth, tokens, 1, 1, 0, 0.5);
        const Planes k(depth, tokens, 1, 2, 0, 0.5);
        const Planes g(depth, tokens, 1, 3);
        const auto total = testing::random_values(tokens, 1, 4);
        const auto along = testing::random_values(tokens, 1, 5);
        std::vector<std::uint32_t> bucket;
        for (std::size_t i = 0; i < size; ++i) bucket.push_back(static_cast<std::uint32_t>(tokens - 1 - i));
        Planes dq(depth, tokens, 1, 6);
        Planes dk(depth, tokens, 1, 7);
        Planes plain_dq = dq;
        Planes plain_dk = dk;
        std::vector<float, CacheLineAllocator<float>> scratch(bucket_gradient_scratch(size, depth) + 16);
        BucketGradient b{q.data(), k.data(),      g.data(), total.data(), along.data(), q.pitch,
                         depth,    bucket.data(), size,     dq.data(),    dk.data(),    scratch.data()};
        bucket_gradient(b);
        b.dq = plain_dq.data();
        b.dk = plain_dk.data();
        plain::bucket_gradient(b);
        testing::expect_near(dq.values, plain_dq.values, 2e-4);
        testing::expect_near(dk.values, plain_dk.values, 2e-4);
      }
    }
  });
}

}  // namespace
}  // namespace snapcube::kernels
