#include "kernels/gram.h"

namespace snapcube::kernels::plain {

void gram_matrix(const float* rows, int count, std::size_t pitch, std::size_t n, double* gram) {
  const auto size = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = 0;
      for (std::size_t p = 0; p < n; ++p) sum += static_cast<double>(rows[i * pitch + p]) * rows[k * pitch + p];
      gram[i * size + k] = gram[k * size + i] = sum;
    }
  }
}

}  // namespace snapcube::kernels::plain
