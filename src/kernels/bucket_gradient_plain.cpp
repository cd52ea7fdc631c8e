#include <cmath>

#include "kernels/bucket_gradient.h"

namespace snapcube::kernels::plain {

void bucket_gradient(const BucketGradient& b) {
  const auto at = [&](const float* planes, int c, std::uint32_t t) {
    return planes[static_cast<std::size_t>(c) * b.pitch + t];
  };
  const auto dot = [&](const float* x, std::uint32_t i, const float* y, std::uint32_t j) {
    double sum = 0;
    for (int c = 0; c < b.depth; ++c) sum += static_cast<double>(at(x, c, i)) * at(y, c, j);
    return sum;
  };
  for (std::size_t m = 0; m < b.size; ++m) {
    const std::uint32_t i = b.bucket[m];
    for (std::size_t n = 0; n < b.size; ++n) {
      const std::uint32_t j = b.bucket[n];
      const double weight = std::exp(dot(b.q, i, b.k, j) - b.total[i]);
      const double dlogit = weight * (dot(b.g, i, b.k, j) - b.along[i]);
      for (int c = 0; c < b.depth; ++c) {
        const std::size_t plane = static_cast<std::size_t>(c) * b.pitch;
        b.dq[plane + i] += static_cast<float>(dlogit * at(b.k, c, j));
        b.dk[plane + j] += static_cast<float>(dlogit * at(b.q, c, i) + weight * at(b.g, c, i));
      }
    }
  }
}

}  // namespace snapcube::kernels::plain
