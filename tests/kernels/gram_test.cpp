#include "kernels/gram.h"

#include <cmath>
#include <vector>

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

void expect_same(int count, std::size_t n, std::size_t offset) {
  SCOPED_TRACE(::testing::Message() << count << " rows of " << n << ", offset " << offset);
  const Planes rows(count, n, offset, 1);
  const auto size = static_cast<std::size_t>(count);
  std::vector<double> fast(size * size, 77.0);
  std::vector<double> plain(size * size, -77.0);
  gram_matrix(rows.data(), count, rows.pitch, n, fast.data());
  plain::gram_matrix(rows.data(), count, rows.pitch, n, plain.data());
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double scale = std::sqrt(plain[i * size + i] * plain[k * size + k]);
      ASSERT_NEAR(fast[i * size + k], plain[i * size + k], 1e-6 * scale) << i << ", " << k;
      ASSERT_EQ(fast[i * size + k], fast[k * size + i]);
    }
  }
}

TEST(GramMatrix, EverySizeAndMisalignment) {
  testing::on_every_target([] {
    for (int count = 1; count <= 13; ++count) expect_same(count, 37, 0);
    for (std::size_t n = 0; n <= 67; ++n) expect_same(5, n, n % 17);
    expect_same(28, 1440, 0);
    expect_same(40, 1023, 3);
  });
}

TEST(GramMatrix, ByHand) {
  const float rows[] = {1, 2, 3, /* pitch */ 9, 4, 5, 6, 9};
  double gram[4];
  testing::on_every_target([&] {
    gram_matrix(rows, 2, 4, 3, gram);
    EXPECT_EQ(gram[0], 14);
    EXPECT_EQ(gram[1], 32);
    EXPECT_EQ(gram[2], 32);
    EXPECT_EQ(gram[3], 77);
  });
}

}  // namespace
}  // namespace snapcube::kernels
