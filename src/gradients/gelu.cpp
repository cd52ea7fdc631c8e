#include "gradients/gelu.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/gradients.h"

namespace snapcube::gradients {

namespace {

/// Stays in the first cache.
constexpr std::int64_t kPiece = 1024;

/// work(first, count) for pieces of 0 … size − 1.
template <typename Work>
void in_pieces(std::int64_t size, const Work& work) {
  const std::int64_t pieces = (size + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < pieces; ++i) {
    work(i * kPiece, static_cast<std::size_t>(std::min(kPiece, size - i * kPiece)));
  }
}

}  // namespace

void gelu(const float* x, std::int64_t size, float* y) {
  in_pieces(size, [&](std::int64_t first, std::size_t count) {
    std::copy_n(x + first, count, y + first);
    kernels::gelu(y + first, count);
  });
}

void gelu_backward(const float* x, const float* dy, std::int64_t size, float* dx) {
  in_pieces(size, [&](std::int64_t first, std::size_t count) {
    float value[kPiece];
    kernels::gelu_and_slope(x + first, count, value, dx + first);
    kernels::multiply(dx + first, dy + first, count);
  });
}

}  // namespace snapcube::gradients
