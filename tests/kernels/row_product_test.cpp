#include "kernels/row_product.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

struct Shape {
  int outputs;
  int depth;
  int taps;
};

/// Both forms on the same data; taps lie one pixel apart, and `missing` of them is outside the map.
void expect_same(const Shape& shape, std::size_t pixels, std::size_t offset, Activation activation, bool bias,
                 bool residual, int missing = -1) {
  SCOPED_TRACE(::testing::Message() << shape.outputs << "×" << shape.depth << "×" << shape.taps << ", " << pixels
                                    << " pixels, offset " << offset << ", activation " << static_cast<int>(activation));
  const auto taps = static_cast<std::size_t>(shape.taps);
  const Planes in(shape.depth, pixels + taps - 1, offset, 1);
  const Planes base(shape.outputs, pixels, offset + 1, 2);
  const auto weights = testing::random_values(static_cast<std::size_t>(shape.outputs * shape.depth) * taps, 0.3, 3);
  const auto biases = testing::random_values(static_cast<std::size_t>(shape.outputs), 1, 4);
  std::vector<float> packed(weights.size());
  pack_weights(weights.data(), shape.outputs, shape.depth, shape.taps, packed.data());
  const float* pointers[kMaxTaps];
  for (int t = 0; t < shape.taps; ++t) pointers[t] = t == missing ? nullptr : in.data() + t;

  Planes fast(shape.outputs, pixels, offset + 2, 5);
  Planes plain = fast;
  RowProduct p;
  p.weights = packed.data();
  p.outputs = shape.outputs;
  p.depth = shape.depth;
  p.taps = pointers;
  p.tap_count = shape.taps;
  p.pitch = in.pitch;
  p.pixels = pixels;
  p.bias = bias ? biases.data() : nullptr;
  p.activation = activation;
  p.residual = residual ? base.data() : nullptr;
  p.residual_pitch = base.pitch;
  p.out = fast.data();
  p.out_pitch = fast.pitch;
  row_product(p);
  p.out = plain.data();
  plain::row_product(p);
  testing::expect_near(fast.values, plain.values, 5e-6);
}

TEST(RowProduct, EveryLengthAndMisalignment) {
  testing::on_every_target([] {
    for (std::size_t pixels = 0; pixels <= 67; ++pixels) {
      expect_same({29, 5, 1}, pixels, pixels % 17, Activation::none, true, true);
    }
    for (std::size_t offset = 0; offset < 17; ++offset) {
      expect_same({28, 7, 1}, 37, offset, Activation::none, false, false);
    }
  });
}

TEST(RowProduct, EveryNumberOfOutputs) {
  testing::on_every_target([] {
    for (int outputs = 1; outputs <= 43; ++outputs) {
      expect_same({outputs, 3, 2}, 33, 0, Activation::none, outputs % 2 == 0, outputs % 3 == 0);
    }
  });
}

TEST(RowProduct, EveryActivationAndTaps) {
  testing::on_every_target([] {
    for (const Activation a : {Activation::none, Activation::relu, Activation::leaky_relu, Activation::gelu}) {
      expect_same({15, 28, 9}, 50, 3, a, true, true);
      expect_same({15, 28, 9}, 50, 3, a, false, false, 4);
      expect_same({4, 56, kMaxTaps}, 21, 1, a, true, true, 0);
    }
  });
}

TEST(RowProduct, OntoItsOwnResidual) {
  // out = residual, at a length whose last vector overlaps the one before: nothing is added twice.
  testing::on_every_target([] {
    const Planes in(6, 45, 0, 1);
    const auto weights = testing::random_values(30, 1, 2);
    std::vector<float> packed(30);
    pack_weights(weights.data(), 5, 6, 1, packed.data());
    Planes out(5, 45, 3, 3);
    Planes wanted = out;
    const float* tap = in.data();
    RowProduct p;
    p.weights = packed.data();
    p.outputs = 5;
    p.depth = 6;
    p.taps = &tap;
    p.tap_count = 1;
    p.pitch = in.pitch;
    p.pixels = 45;
    p.residual_pitch = p.out_pitch = out.pitch;
    p.residual = p.out = out.data();
    row_product(p);
    for (std::size_t o = 0; o < 5; ++o) {
      for (std::size_t x = 0; x < 45; ++x) {
        double sum = wanted.data()[o * wanted.pitch + x];
        for (std::size_t k = 0; k < 6; ++k) sum += weights[o * 6 + k] * in.data()[k * in.pitch + x];
        wanted.data()[o * wanted.pitch + x] = static_cast<float>(sum);
      }
    }
    testing::expect_near(out.values, wanted.values, 1e-5);
  });
}

TEST(RowProduct, SumsDoNotDependOnTheLength) {
  // A frame gives the same bytes however it is cut into rows and tiles.
  testing::on_every_target([] {
    const Planes in(28, 96, 0, 1);
    const auto weights = testing::random_values(std::size_t{14} * 28, 1, 2);
    const float* tap = in.data();
    std::vector<float> whole(14 * 96);
    std::vector<float> parts(14 * 96);
    RowProduct p;
    p.weights = weights.data();
    p.outputs = 14;
    p.depth = 28;
    p.taps = &tap;
    p.tap_count = 1;
    p.pitch = in.pitch;
    p.pixels = 96;
    p.out = whole.data();
    p.out_pitch = 96;
    row_product(p);
    for (const std::size_t first : {0, 32}) {
      tap = in.data() + first;
      p.pixels = first == 0 ? 32 : 64;
      p.out = parts.data() + first;
      row_product(p);
    }
    EXPECT_EQ(whole, parts);
  });
}

}  // namespace
}  // namespace snapcube::kernels
