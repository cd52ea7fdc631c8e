#pragma once
// GELU of whole maps, on all threads: x·Φ(x). Values are exact to 2e-6, slopes to 6e-6.

#include <cstdint>

namespace snapcube::gradients {

/// y = GELU(x).
void gelu(const float* x, std::int64_t size, float* y);
/// dx = GELU'(x)·dy.
void gelu_backward(const float* x, const float* dy, std::int64_t size, float* dx);

}  // namespace snapcube::gradients
