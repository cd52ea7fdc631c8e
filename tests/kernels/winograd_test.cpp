#include "kernels/winograd.h"

#include "every_target.h"
#include "planes.h"

namespace snapcube::kernels {
namespace {

using testing::Planes;

template <int kInputs, int kOutputs, typename Fast, typename Plain>
void expect_twins(const Fast& fast, const Plain& twin) {
  testing::on_every_target([&] {
    for (std::size_t n = 0; n <= 70; ++n) {
      for (const int missing : {-1, 0, 3}) {
        const Planes in(kInputs, n, n % 17, 1);
        Planes a(kOutputs, n, (n + 5) % 17, 2);
        Planes b = a;
        const float* rows[kInputs];
        float* fast_out[kOutputs];
        float* plain_out[kOutputs];
        for (int i = 0; i < kInputs; ++i) {
          rows[i] = i == missing ? nullptr : in.data() + static_cast<std::size_t>(i) * in.pitch;
        }
        for (int o = 0; o < kOutputs; ++o) {
          fast_out[o] = o == missing ? nullptr : a.data() + static_cast<std::size_t>(o) * a.pitch;
          plain_out[o] = o == missing ? nullptr : b.data() + static_cast<std::size_t>(o) * b.pitch;
        }
        fast(rows, n, fast_out);
        twin(rows, n, plain_out);
        testing::expect_near(a.values, b.values, 2e-6);
      }
    }
  });
}

TEST(Winograd, InputIsItsTwin) { expect_twins<6, 6>(winograd_input, plain::winograd_input); }
TEST(Winograd, OutputIsItsTwin) { expect_twins<6, 4>(winograd_output, plain::winograd_output); }
TEST(Winograd, OutputTransposedIsItsTwin) {
  expect_twins<4, 6>(winograd_output_transposed, plain::winograd_output_transposed);
}

/// Aᵀ[(G g) ⊙ (Bᵀ d)] is the convolution: for every d and g of a basis, exactly but for G's thirds.
TEST(Winograd, MatricesMakeAConvolution) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t at = 0; at < 6; ++at) {
      for (std::size_t y = 0; y < 4; ++y) {
        double sum = 0;
        for (std::size_t i = 0; i < 6; ++i) {
          sum += static_cast<double>(kWinogradOutput[y][i]) * kWinogradWeights[i][k] *
                 static_cast<double>(kWinogradInput[i][at]);
        }
        EXPECT_NEAR(sum, at == y + k ? 1 : 0, 1e-12) << k << " " << at << " " << y;
      }
    }
  }
}

}  // namespace
}  // namespace snapcube::kernels
