#pragma once
// Winograd's F(4, 3) down the rows of a map: four output rows of a convolution three rows high from six products in
// place of twelve. With d the six input rows, g the three rows of the kernel and y the four output rows,
//
//   y = Aᵀ[(G g) ⊙ (Bᵀ d)]
//
// where ⊙ is, row by row, all that the convolution does beside: channels and columns. The points are 0, ±1, ±2 and ∞;
// rounding grows by less than ten.

#include <array>
#include <cstddef>

namespace snapcube::kernels {

inline constexpr int kWinogradOutputs = 4;
inline constexpr int kWinogradProducts = 6;

inline constexpr std::array<std::array<float, 6>, 6> kWinogradInput = {{{4, 0, -5, 0, 1, 0},
                                                                        {0, -4, -4, 1, 1, 0},
                                                                        {0, 4, -4, -1, 1, 0},
                                                                        {0, -2, -1, 2, 1, 0},
                                                                        {0, 2, -1, -2, 1, 0},
                                                                        {0, 4, 0, -5, 0, 1}}};
/// G
inline constexpr std::array<std::array<double, 3>, 6> kWinogradWeights = {{{1.0 / 4, 0, 0},
                                                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                                                           {0, 0, 1}}};
/// Aᵀ
inline constexpr std::array<std::array<float, 6>, 4> kWinogradOutput = {
    {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};

/// out[i] = (Bᵀ rows)[i], over n floats. Null among the rows: zeros.
void winograd_input(const float* const rows[6], std::size_t n, float* const out[6]);
/// out[j] = (Aᵀ products)[j]; null among `out`: not wanted.
void winograd_output(const float* const products[6], std::size_t n, float* const out[4]);
/// The transpose of winograd_output: out[i] = (A rows)[i]. Null among the rows: zeros.
void winograd_output_transposed(const float* const rows[4], std::size_t n, float* const out[6]);

namespace plain {
void winograd_input(const float* const rows[6], std::size_t n, float* const out[6]);
void winograd_output(const float* const products[6], std::size_t n, float* const out[4]);
void winograd_output_transposed(const float* const rows[4], std::size_t n, float* const out[6]);
}  // namespace plain

}  // namespace snapcube::kernels
