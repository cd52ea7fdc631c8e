#include "kernels/depthwise.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

void expect_same(int channels, std::size_t pixels, int stride, int out_rows, Activation activation, std::size_t offset,
                 bool residual = false) {
  SCOPED_TRACE(::testing::Message() << pixels << " pixels, stride " << stride << ", " << out_rows << " rows, offset "
                                    << offset);
  std::vector<Planes> in;
  std::vector<const float*> rows;
  const int count = stride * (out_rows - 1) + 3;
  // One pixel before the row, and one behind it where the kernel's last tap reaches that far.
  for (int i = 0; i < count; ++i) {
    in.emplace_back(channels, static_cast<std::size_t>(stride) * pixels, offset, static_cast<std::uint64_t>(i), 1);
  }
  for (const Planes& p : in) rows.push_back(p.data());
  const auto weights = testing::random_values(static_cast<std::size_t>(channels) * 9, 1, 77);
  Planes fast(channels * out_rows, pixels, offset + 1, 5);
  Planes plain = fast;
  Depthwise c;
  c.weights = weights.data();
  c.channels = channels;
  c.rows = rows.data();
  c.pitch = in[0].pitch;
  c.stride = stride;
  c.pixels = pixels;
  c.out_rows = out_rows;
  c.activation = activation;
  c.out = fast.data();
  c.out_pitch = fast.pitch;
  c.out_row_step = fast.pitch * static_cast<std::size_t>(channels);
  const Planes base(channels * out_rows, pixels, offset + 3, 6);
  if (residual) {
    c.residual = base.data();
    c.residual_pitch = base.pitch;
    c.residual_row_step = base.pitch * static_cast<std::size_t>(channels);
  }
  depthwise(c);
  c.out = plain.data();
  plain::depthwise(c);
  testing::expect_near(fast.values, plain.values, 5e-6);
}

TEST(Depthwise, EveryLengthAndMisalignment) {
  testing::on_every_target([] {
    for (const int stride : {1, 2}) {
      for (std::size_t pixels = 0; pixels <= 50; ++pixels) {
        expect_same(3, pixels, stride, 1 + static_cast<int>(pixels % 4), Activation::leaky_relu, pixels % 17);
      }
    }
  });
}

TEST(Depthwise, EveryActivationAndNumberOfRows) {
  testing::on_every_target([] {
    for (const Activation a : {Activation::none, Activation::relu, Activation::leaky_relu, Activation::gelu}) {
      for (int rows = 1; rows <= kMaxDepthwiseRows; ++rows) {
        for (const int stride : {1, 2}) {
          expect_same(5, 41, stride, rows, a, 2);
          expect_same(3, 41, stride, rows, a, 2, true);
          expect_same(3, 2, stride, rows, a, 2, true);
        }
      }
    }
  });
}

TEST(Depthwise, OntoItsOwnResidual) {
  // At a length whose last vector overlaps the one before: nothing is added twice.
  testing::on_every_target([] {
    const Planes in(2, 37, 0, 1, 1);
    const float* rows[] = {in.data(), in.data(), in.data()};
    const auto weights = testing::random_values(18, 1, 2);
    Planes out(2, 37, 1, 3);
    const Planes base = out;
    std::vector<float> alone(2 * 37);
    Depthwise c;
    c.weights = weights.data();
    c.channels = 2;
    c.rows = rows;
    c.pitch = in.pitch;
    c.pixels = 37;
    c.out = alone.data();
    c.out_pitch = 37;
    depthwise(c);
    c.residual = c.out = out.data();
    c.residual_pitch = c.out_pitch = out.pitch;
    depthwise(c);
    for (std::size_t i = 0; i < 2 * 37; ++i) {
      const std::size_t at = i / 37 * base.pitch + i % 37;
      EXPECT_NEAR(out.data()[at], base.data()[at] + alone[i], 1e-6);
    }
  });
}

TEST(Depthwise, PicksTheTapsInOrder) {
  // A single 1 among the weights shifts the map: that the plain form too has dy and dx the right way round.
  const Planes above(1, 20, 0, 1, 1), centre(1, 20, 0, 2, 1), below(1, 20, 0, 3, 1);
  const float* rows[] = {above.data(), centre.data(), below.data()};
  for (std::size_t tap = 0; tap < 9; ++tap) {
    float weights[9] = {};
    weights[tap] = 1;
    std::vector<float> out(20);
    Depthwise c;
    c.weights = weights;
    c.channels = 1;
    c.rows = rows;
    c.pitch = centre.pitch;
    c.pixels = 20;
    c.out = out.data();
    depthwise(c);
    for (std::size_t p = 0; p < 20; ++p) EXPECT_EQ(out[p], (rows[tap / 3] + p + tap % 3)[-1]) << tap;
  }
}

}  // namespace
}  // namespace snapcube::kernels
