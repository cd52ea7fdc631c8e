#include "kernels/gram.h"

#include <algorithm>

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

/// Rows of channels with zeros behind the pixels, up to a multiple of kGramPadding, and the buffer's end there.
struct Rows {
  std::size_t pitch;
  std::size_t row_step;
  std::vector<float> values;
  std::size_t offset;
  Rows(int channels, std::size_t pixels, int rows, std::size_t at) : offset(at) {
    pitch = (pixels + kGramPadding - 1) / kGramPadding * kGramPadding;
    row_step = static_cast<std::size_t>(channels) * pitch;
    values.resize(offset + static_cast<std::size_t>(rows) * row_step);
    Random random(7);
    for (std::size_t line = 0; line < static_cast<std::size_t>(rows * channels); ++line) {
      for (std::size_t p = 0; p < pixels; ++p) {
        values[offset + line * pitch + p] = static_cast<float>(random.uniform(-1, 2));
      }
    }
  }
};

void expect_same(int channels, std::size_t pixels, int rows, std::size_t offset) {
  SCOPED_TRACE(::testing::Message() << channels << " channels, " << pixels << " pixels, " << rows << " rows, offset "
                                    << offset);
  const Rows data(channels, pixels, rows, offset);
  const auto n = static_cast<std::size_t>(channels);
  std::vector<double> fast(n * n);
  for (std::size_t i = 0; i < fast.size(); ++i)
    fast[i] = static_cast<double>(i);  // it adds; below the diagonal it stays
  std::vector<double> plain = fast;
  Gram g;
  g.x = data.values.data() + offset;
  g.channels = channels;
  g.pitch = data.pitch;
  g.pixels = pixels;
  g.rows = rows;
  g.row_step = data.row_step;
  g.sums = fast.data();
  gram(g);
  g.sums = plain.data();
  plain::gram(g);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    const double size = static_cast<double>(i) + 2 * static_cast<double>(pixels) * rows;
    ASSERT_NEAR(fast[i], plain[i], 3e-7 * size) << i / n << ", " << i % n;
  }
}

TEST(Gram, EveryLengthAndMisalignment) {
  testing::on_every_target([] {
    for (std::size_t pixels = 0; pixels <= 50; ++pixels) expect_same(7, pixels, 3, pixels % 17);
  });
}

TEST(Gram, EveryNumberOfChannels) {
  testing::on_every_target([] {
    for (int channels = 1; channels <= 40; ++channels) expect_same(channels, 21, 2, 1);
    expect_same(112, 64, 9, 0);
  });
}

TEST(Gram, ManyPixelsAreSummedInDouble) {
  // Where single precision alone would have lost three digits.
  testing::on_every_target([] {
    for (const std::size_t pixels : {std::size_t{512}, std::size_t{1} << 18}) {  // many rows; one long one
      const auto rows = static_cast<int>((std::size_t{1} << 18) / pixels);
      const std::vector<float> tenths(2 * pixels, 0.1f);
      double sums[4] = {};
      Gram g;
      g.x = tenths.data();
      g.channels = 2;
      g.pitch = pixels;
      g.pixels = pixels;
      g.rows = rows;
      g.row_step = 0;  // the same row again and again
      g.sums = sums;
      gram(g);
      const double wanted = static_cast<double>(0.1f) * 0.1f * (1 << 18);
      EXPECT_NEAR(sums[1], wanted, 1e-6 * wanted) << pixels;
      EXPECT_EQ(sums[2], 0);
    }
  });
}

}  // namespace
}  // namespace snapcube::kernels
