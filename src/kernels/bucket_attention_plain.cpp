#include <algorithm>
#include <cmath>

#include "kernels/bucket_attention.h"

namespace snapcube::kernels::plain {

void bucket_attention(const BucketAttention& a) {
  for (std::size_t i = 0; i < a.size; ++i) {
    const auto logit = [&](std::size_t j) {
      float sum = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(a.depth); ++c) {
        sum += a.q[c * a.pitch + a.bucket[i]] * a.k[c * a.pitch + a.bucket[j]];
      }
      return sum;
    };
    a.top[i] = logit(0);
    for (std::size_t j = 1; j < a.size; ++j) a.top[i] = std::max(a.top[i], logit(j));
    a.sum[i] = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(a.value_depth); ++c) a.product[c * a.product_pitch + i] = 0;
    for (std::size_t j = 0; j < a.size; ++j) {
      const float weight = std::exp(logit(j) - a.top[i]);
      a.sum[i] += weight;
      for (std::size_t c = 0; c < static_cast<std::size_t>(a.value_depth); ++c) {
        a.product[c * a.product_pitch + i] += weight * a.v[c * a.pitch + a.bucket[j]];
      }
    }
  }
}

void mix_rounds(const RoundMixing& m) {
  const auto rounds = static_cast<std::size_t>(m.rounds);
  for (std::size_t t = 0; t < m.count; ++t) {
    const auto place = [&](std::size_t r) { return m.places[r * m.count + t]; };
    float largest = m.tops[place(0)];
    for (std::size_t r = 1; r < rounds; ++r) largest = std::max(largest, m.tops[r * m.count + place(r)]);
    float total = 0;
    for (std::size_t r = 0; r < rounds; ++r) {
      total += std::exp(m.tops[r * m.count + place(r)] - largest) * m.sums[r * m.count + place(r)];
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(m.channels); ++c) {
      float y = 0;
      for (std::size_t r = 0; r < rounds; ++r) {
        const float weight = std::exp(m.tops[r * m.count + place(r)] - largest);
        y += weight * m.products[(r * static_cast<std::size_t>(m.channels) + c) * m.pitch + place(r)];
      }
      m.out[c * m.pitch + t] = y / total;
    }
  }
}

}  // namespace snapcube::kernels::plain
