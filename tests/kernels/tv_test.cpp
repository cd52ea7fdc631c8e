#include "kernels/tv.h"

#include <cmath>
#include <vector>

#include "base/random.h"
#include "every_target.h"

namespace snapcube::kernels {
namespace {

using Buffer = std::vector<float>;

constexpr std::size_t kLongest = 67;  // four AVX-512 vectors and some
constexpr std::size_t kMisalignments = 17;
constexpr float kGuard = 1234.5f;

/// Up to six rows, each at its own misalignment inside a buffer of guard values.
struct Rows {
  Rows(int count, std::size_t n, std::size_t misalignment, std::uint64_t seed) {
    Random random(seed);
    for (int r = 0; r < count; ++r) {
      Buffer buffer(n + 2 * kMisalignments, kGuard);
      start.push_back((misalignment + static_cast<std::size_t>(r) * 3) % kMisalignments + 1);
      for (std::size_t i = 0; i < n; ++i) buffer[start.back() + i] = static_cast<float>(random.uniform(-2, 2));
      buffers.push_back(buffer);
    }
  }
  float* operator[](int r) { return buffers[static_cast<std::size_t>(r)].data() + start[static_cast<std::size_t>(r)]; }
  std::vector<Buffer> buffers;
  std::vector<std::size_t> start;
};

/// Calls both forms on equal rows, for every target, length and misalignment: all bytes must agree, guards included.
template <typename Fast, typename Plain>
void expect_same(int rows, Fast fast, Plain plain) {
  testing::on_every_target([&] {
    for (std::size_t n = 0; n <= kLongest; ++n) {
      for (std::size_t misalignment = 0; misalignment < kMisalignments; ++misalignment) {
        Rows a(rows, n, misalignment, n);
        Rows b = a;
        fast(a, n);
        plain(b, n);
        ASSERT_EQ(a.buffers, b.buffers) << "n = " << n << ", misalignment " << misalignment;
      }
    }
  });
}

TEST(TvKernels, PrimalRow) {
  expect_same(
      5, [](Rows& r, std::size_t n) { tv_primal_row(r[0], r[1], r[2], r[3], 0.3f, n, r[4]); },
      [](Rows& r, std::size_t n) { plain::tv_primal_row(r[0], r[1], r[2], r[3], 0.3f, n, r[4]); });
  expect_same(
      4, [](Rows& r, std::size_t n) { tv_primal_row(r[0], r[1], r[2], nullptr, 0.3f, n, r[3]); },
      [](Rows& r, std::size_t n) { plain::tv_primal_row(r[0], r[1], r[2], nullptr, 0.3f, n, r[3]); });
}

TEST(TvKernels, AscendRow) {
  expect_same(
      4, [](Rows& r, std::size_t n) { tv_ascend_row(r[0], r[1], 0.7f, n, r[2], r[3]); },
      [](Rows& r, std::size_t n) { plain::tv_ascend_row(r[0], r[1], 0.7f, n, r[2], r[3]); });
  expect_same(
      3, [](Rows& r, std::size_t n) { tv_ascend_row(r[0], nullptr, 0.7f, n, r[1], r[2]); },
      [](Rows& r, std::size_t n) { plain::tv_ascend_row(r[0], nullptr, 0.7f, n, r[1], r[2]); });
}

TEST(TvKernels, ClipAndProjectRow) {
  expect_same(
      2, [](Rows& r, std::size_t n) { tv_clip_row(n, r[0], r[1]); },
      [](Rows& r, std::size_t n) { plain::tv_clip_row(n, r[0], r[1]); });
  expect_same(
      2, [](Rows& r, std::size_t n) { tv_project_row(n, r[0], r[1]); },
      [](Rows& r, std::size_t n) { plain::tv_project_row(n, r[0], r[1]); });
}

/// A Gram matrix must be positive: rows 0…2 become that of the random rows.
void make_gram(Rows& r, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float a = r[0][i];
    const float b = r[1][i];
    const float c = r[2][i];
    r[0][i] = a * a + b * b;
    r[1][i] = a * b + b * c;
    r[2][i] = b * b + c * c;
  }
}

TEST(TvKernels, CoupledRows) {
  expect_same(
      5, [](Rows& r, std::size_t n) { tv_gram_row(r[0], r[1], n, r[2], r[3], r[4]); },
      [](Rows& r, std::size_t n) { plain::tv_gram_row(r[0], r[1], n, r[2], r[3], r[4]); });
  expect_same(
      3,
      [](Rows& r, std::size_t n) {
        make_gram(r, n);
        tv_vectorial_row(n, r[0], r[1], r[2]);
      },
      [](Rows& r, std::size_t n) {
        make_gram(r, n);
        plain::tv_vectorial_row(n, r[0], r[1], r[2]);
      });
  expect_same(
      3,
      [](Rows& r, std::size_t n) {
        make_gram(r, n);
        tv_nuclear_row(n, r[0], r[1], r[2]);
      },
      [](Rows& r, std::size_t n) {
        make_gram(r, n);
        plain::tv_nuclear_row(n, r[0], r[1], r[2]);
      });
  expect_same(
      5, [](Rows& r, std::size_t n) { tv_couple_row(r[0], r[1], r[2], n, r[3], r[4]); },
      [](Rows& r, std::size_t n) { plain::tv_couple_row(r[0], r[1], r[2], n, r[3], r[4]); });
}

/// T applied to a 2×B matrix must clip its singular values to 1: afterwards the largest eigenvalue of the Gram matrix
/// is at most 1, and a matrix inside the ball stays as it is.
TEST(TvKernels, NuclearRowClipsSingularValues) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const double size = trial % 3 == 0 ? 0.1 : 2.0;
    float p[6];
    float q[6];
    float pp = 0;
    float pq = 0;
    float qq = 0;
    for (int b = 0; b < 6; ++b) {
      p[b] = static_cast<float>(random.uniform(-size, size));
      q[b] = trial % 5 == 0 ? 2 * p[b] : static_cast<float>(random.uniform(-size, size));  // rank one, too
      tv_gram_row(&p[b], &q[b], 1, &pp, &pq, &qq);
    }
    const float before = 0.5f * (pp + qq) + std::hypot(0.5f * (pp - qq), pq);
    tv_nuclear_row(1, &pp, &pq, &qq);
    float after_pp = 0;
    float after_pq = 0;
    float after_qq = 0;
    for (int b = 0; b < 6; ++b) {
      const float old = p[b];
      tv_couple_row(&pp, &pq, &qq, 1, &p[b], &q[b]);
      if (before <= 1) {
        EXPECT_NEAR(p[b], old, 1e-6);
      }
      tv_gram_row(&p[b], &q[b], 1, &after_pp, &after_pq, &after_qq);
    }
    const float after = 0.5f * (after_pp + after_qq) + std::hypot(0.5f * (after_pp - after_qq), after_pq);
    EXPECT_NEAR(after, std::min(1.0f, before), 1e-5);
  }
}

}  // namespace
}  // namespace snapcube::kernels
