#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/hash.h"

namespace snapcube::kernels::plain {

void hash_codes(const float* tokens, std::size_t pitch, std::size_t count, const HashVectors& h, float* codes,
                double* scratch) {
  const auto width = static_cast<std::size_t>(h.width);
  const auto rounds = static_cast<std::size_t>(h.rounds);
  const auto token = [&](std::size_t c, std::size_t t) { return static_cast<double>(tokens[c * pitch + t]); };
  double longest = 0;
  for (std::size_t t = 0; t < count; ++t) {
    scratch[t] = 0;
    for (std::size_t c = 0; c < width; ++c) scratch[t] += token(c, t) * token(c, t);
    longest = std::max(longest, scratch[t]);
  }
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t r = 0; r < rounds; ++r) {
      double code = h.beta[r] + std::sqrt(longest - scratch[t]) * static_cast<double>(h.alpha[width * rounds + r]);
      for (std::size_t c = 0; c < width; ++c) code += token(c, t) * static_cast<double>(h.alpha[c * rounds + r]);
      codes[r * count + t] = static_cast<float>(h.floor ? std::floor(code) : code);
    }
  }
}

void sort_codes(const float* codes, std::size_t count, std::uint32_t* order) {
  std::iota(order, order + count, 0u);
  std::stable_sort(order, order + count, [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
}

}  // namespace snapcube::kernels::plain
