#pragma once
// The Gram matrix of long rows, exact enough for an eigen-decomposition.

#include <cstddef>

namespace snapcube::kernels {

/// gram[i·count + k] = Σ_p rows[i·pitch + p] · rows[k·pitch + p],  p < n. Sums of some hundred products are taken in
/// float, their sums in double: the error stays below 1e-6 of √(gram[i,i]·gram[k,k]).
void gram_matrix(const float* rows, int count, std::size_t pitch, std::size_t n, double* gram);

namespace plain {
void gram_matrix(const float* rows, int count, std::size_t pitch, std::size_t n, double* gram);
}

}  // namespace snapcube::kernels
