#pragma once
// Hash codes of tokens and their order: equations (6) and (7) of the paper. Tokens are planar: channel c of token t is
// at tokens[c·pitch + t].

#include <cstddef>
#include <cstdint>

namespace snapcube::kernels {

struct HashVectors {
  const float* alpha = nullptr;  ///< [width + 2][rounds]
  const float* beta = nullptr;   ///< [rounds]
  int width = 0;                 ///< channels of a token
  int rounds = 0;
  bool floor = false;
};

/// codes[r·count + t] = (e, sqrt(n_max² − |e|²), 0) · α_r + β_r, for the tokens e, n_max the length of the longest.
/// Computed in double precision and rounded. scratch: count numbers.
void hash_codes(const float* tokens, std::size_t pitch, std::size_t count, const HashVectors& vectors, float* codes,
                double* scratch);

/// order: the tokens by ascending code, equal codes by ascending index. Codes must not be NaN; count < 2³².
/// scratch: 2·count.
void sort_codes(const float* codes, std::size_t count, std::uint32_t* order, std::uint64_t* scratch);

namespace plain {
void hash_codes(const float* tokens, std::size_t pitch, std::size_t count, const HashVectors& vectors, float* codes,
                double* scratch);
void sort_codes(const float* codes, std::size_t count, std::uint32_t* order);
}  // namespace plain

}  // namespace snapcube::kernels
