#include "kernels/bucket_attention.h"

#include <algorithm>
#include <numeric>

#include <snapcube/array.h>

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

void expect_same(std::size_t size, int depth, int value_depth, bool own_values) {
  SCOPED_TRACE(::testing::Message() << size << " tokens of " << depth << " and " << value_depth);
  const std::size_t tokens = size + 9;
  const testing::Planes q(depth, tokens, 1, 1), k(depth, tokens, 2, 2), v(value_depth, tokens, 3, 3);
  const auto bucket = shuffled(tokens, 4);
  struct Result {
    testing::Planes product;
    std::vector<float> top;
    std::vector<float> sum;
  };
  Result fast{testing::Planes(value_depth, size, 1, 5), std::vector<float>(size), std::vector<float>(size)};
  Result plain = fast;
  FloatBuffer scratch(bucket_attention_scratch(size, depth, value_depth));
  const auto run = [&](Result& to, auto kernel) {
    BucketAttention a;
    a.q = q.data();
    a.k = k.data();
    a.v = own_values ? v.data() : k.data();
    a.pitch = k.pitch;
    a.depth = depth;
    a.value_depth = value_depth;
    a.bucket = bucket.data();
    a.size = size;
    a.product = to.product.data();
    a.product_pitch = to.product.pitch;
    a.top = to.top.data();
    a.sum = to.sum.data();
    a.scratch = scratch.data();
    kernel(a);
  };
  run(fast, [](const BucketAttention& a) { bucket_attention(a); });
  run(plain, [](const BucketAttention& a) { plain::bucket_attention(a); });
  testing::expect_near(fast.product.values, plain.product.values, 2e-5);
  testing::expect_near(fast.top, plain.top, 1e-5);
  testing::expect_near(fast.sum, plain.sum, 2e-5);
}

TEST(BucketAttention, EverySize) {
  testing::on_every_target([] {
    for (std::size_t size = 1; size <= 70; ++size) expect_same(size, 7, 5, true);
    for (const std::size_t size : {64, 127, 128, 200}) {
      expect_same(size, 28, 28, false);
      expect_same(size, 84, 84, true);
    }
  });
}

TEST(BucketAttention, RoundsAreMixed) {
  testing::on_every_target([] {
    for (const std::size_t count : {1, 13, 64, 77}) {
      for (const int rounds : {1, 2, 5}) {
        const auto r = static_cast<std::size_t>(rounds);
        const std::size_t pitch = count + 3;
        const auto products = testing::random_values(r * 6 * pitch, 1, 1);
        const auto tops = testing::random_values(r * count, 40, 2);
        auto sums = testing::random_values(r * count, 1, 3);
        for (float& s : sums) s += 2;
        std::vector<std::uint32_t> places;
        for (std::size_t i = 0; i < r; ++i) {
          const auto one = shuffled(count, i);
          places.insert(places.end(), one.begin(), one.end());
        }
        std::vector<float> fast(6 * pitch), plain(6 * pitch), scratch(r * 16);
        RoundMixing m{rounds, products.data(), tops.data(), sums.data(),   places.data(), count,
                      6,      pitch,           fast.data(), scratch.data()};
        mix_rounds(m);
        m.out = plain.data();
        plain::mix_rounds(m);
        testing::expect_near(fast, plain, 1e-5);
      }
    }
  });
}

TEST(BucketAttention, MixingIsSoftmaxOfTheLogarithmOfSums) {
  // Two rounds of one token: s = log 3 and log 1 give weights 3/4 and 1/4.
  std::vector<float> products(32), tops(32, 0.0f), sums(32, 1.0f), out(16), scratch(32);
  std::vector<std::uint32_t> places(32);
  for (std::size_t t = 0; t < 16; ++t) {
    places[t] = places[16 + t] = static_cast<std::uint32_t>(t);
    sums[t] = 3;
    products[t] = 3 * 8;  // attention's own result of the first round: 8
    products[16 + t] = 4;
  }
  mix_rounds({2, products.data(), tops.data(), sums.data(), places.data(), 16, 1, 16, out.data(), scratch.data()});
  for (const float v : out) EXPECT_FLOAT_EQ(v, 0.75f * 8 + 0.25f * 4);
}

}  // namespace
}  // namespace snapcube::kernels
