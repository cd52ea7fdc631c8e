#include "kernels/gate.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

void expect_same(std::size_t pixels, std::size_t offset, int missing, double range, float bias) {
  SCOPED_TRACE(::testing::Message() << pixels << " pixels, offset " << offset << ", row " << missing << " missing");
  const Planes rows(5, pixels, offset, 1, 2);
  const Planes x(1, pixels, offset + 1, 2);
  const auto weights = testing::random_values(25, range, 3);
  const float* pointers[5];
  for (int dy = 0; dy < 5; ++dy) {
    pointers[dy] = dy == missing ? nullptr : rows.data() + static_cast<std::size_t>(dy) * rows.pitch;
  }
  Planes fast(1, pixels, offset + 2, 4);
  Planes plain = fast;
  Gate g;
  g.weights = weights.data();
  g.bias = bias;
  g.rows = pointers;
  g.x = x.data();
  g.pixels = pixels;
  g.out = fast.data();
  gate(g);
  g.out = plain.data();
  plain::gate(g);
  testing::expect_near(fast.values, plain.values, 2e-6);
}

TEST(Gate, EveryLengthAndMisalignment) {
  testing::on_every_target([] {
    for (std::size_t pixels = 0; pixels <= 67; ++pixels) expect_same(pixels, pixels % 17, -1, 0.5, 0.1f);
  });
}

TEST(Gate, RowsOutsideTheMapAndLargeValues) {
  testing::on_every_target([] {
    for (int missing = 0; missing < 5; ++missing) expect_same(40, 3, missing, 0.5, -0.2f);
    for (const float bias : {-300.0f, -90.0f, 90.0f, 300.0f}) expect_same(40, 0, 0, 1, bias);
  });
}

TEST(Gate, PicksTheTapsInOrder) {
  // A single weight looks at one place; x = 1 there yields 1 + σ(that value).
  const Planes rows(5, 20, 0, 1, 2);
  const std::vector<float> ones(20, 1.0f);
  const float* pointers[5];
  for (std::size_t dy = 0; dy < 5; ++dy) pointers[dy] = rows.data() + dy * rows.pitch;
  for (std::size_t tap = 0; tap < 25; ++tap) {
    float weights[25] = {};
    weights[tap] = 1;
    std::vector<float> out(20);
    Gate g;
    g.weights = weights;
    g.rows = pointers;
    g.x = ones.data();
    g.pixels = 20;
    g.out = out.data();
    gate(g);
    for (std::size_t p = 0; p < 20; ++p) {
      const double seen = (pointers[tap / 5] + p + tap % 5)[-2];
      EXPECT_NEAR(out[p], 1 + 1 / (1 + std::exp(-seen)), 1e-6) << tap;
    }
  }
}

}  // namespace
}  // namespace snapcube::kernels
