#include "kernels/hash.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

TEST(Hash, CodesOfEveryCount) {
  testing::on_every_target([] {
    for (std::size_t count = 1; count <= 70; ++count) {
      const testing::Planes tokens(11, count, count % 17, 1, 0, 2);
      const auto alpha = testing::random_values(13 * 3, 1, 2);
      const auto beta = testing::random_values(3, 1, 3);
      const HashVectors h{alpha.data(), beta.data(), 11, 3, count % 2 == 0};
      std::vector<float> fast(3 * count), plain(3 * count);
      std::vector<double> scratch(count);
      hash_codes(tokens.data(), tokens.pitch, count, h, fast.data(), scratch.data());
      plain::hash_codes(tokens.data(), tokens.pitch, count, h, plain.data(), scratch.data());
      if (!h.floor) testing::expect_near(fast, plain, 1e-6);
      if (h.floor) {
        for (std::size_t i = 0; i < fast.size(); ++i) EXPECT_EQ(fast[i], std::floor(fast[i]));
      }
    }
  });
}

TEST(Hash, CodeOfTwoTokensByHand) {
  // Tokens (3, 0) and (0, 5): n_max = 5, extensions 4 and 0; α = (1, 10, 100, ·), β = 0.5.
  testing::on_every_target([] {
    std::vector<float> tokens(2 * 16, 0.0f);
    for (std::size_t t = 0; t < 16; ++t) tokens[t] = 3;
    tokens[3] = 0;
    tokens[16 + 3] = 5;
    const float alpha[] = {1, 10, 100, 1000};
    const float beta[] = {0.5f};
    float codes[16];
    double scratch[16];
    hash_codes(tokens.data(), 16, 16, {alpha, beta, 2, 1, false}, codes, scratch);
    EXPECT_FLOAT_EQ(codes[0], 403.5f);
    EXPECT_FLOAT_EQ(codes[3], 50.5f);
    hash_codes(tokens.data(), 16, 16, {alpha, beta, 2, 1, true}, codes, scratch);
    EXPECT_FLOAT_EQ(codes[0], 403);
  });
}

TEST(Hash, SortIsStableAndAscending) {
  for (const std::size_t count : {0, 1, 2, 13, 64, 255, 256, 257, 5000}) {
    for (const bool ties : {false, true}) {
      auto codes = testing::random_values(count, 30, count);
      if (ties) {
        for (float& c : codes) c = std::floor(c / 8);  // −0 too
        if (count > 2) codes[1] = -0.0f, codes[2] = 0.0f;
      }
      std::vector<std::uint32_t> fast(count), plain(count);
      std::vector<std::uint64_t> scratch(2 * count);
      sort_codes(codes.data(), count, fast.data(), scratch.data());
      plain::sort_codes(codes.data(), count, plain.data());
      EXPECT_EQ(fast, plain) << count;
    }
  }
}

}  // namespace
}  // namespace snapcube::kernels
