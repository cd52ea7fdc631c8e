#pragma once
// The gradient of attention inside one bucket (bucket_attention.h), where values are the keys.
//
// Mixing rounds by the softmax of their logsumexp makes all rounds one softmax over all keys a token meets: with
// total_i = logsumexp over rounds and keys, token i weighs key j of a bucket with B_ij = e^(q_i·k_j − total_i), and its
// mixed output is u_i = Σ B_ij k_j. So for a gradient g_i of u_i
//   dlogit_ij = B_ij (g_i·k_j − g_i·u_i),  dq_i = Σ_j dlogit_ij k_j,  dk_j = Σ_i (dlogit_ij q_i + B_ij g_i).

#include <cstddef>
#include <cstdint>

namespace snapcube::kernels {

/// Tokens are planar; token t has its channel c at [c·pitch + t].
struct BucketGradient {
  const float* q = nullptr;
  const float* k = nullptr;
  const float* g = nullptr;      ///< gradient of the mixed outputs
  const float* total = nullptr;  ///< [tokens]: the logsumexp
  const float* along = nullptr;  ///< [tokens]: g_i·u_i
  std::size_t pitch = 0;         ///< of all planes
  int depth = 0;
  const std::uint32_t* bucket = nullptr;  ///< its tokens
  std::size_t size = 0;                   ///< how many
  float* dq = nullptr;                    ///< added to
  float* dk = nullptr;                    ///< added to
  float* scratch = nullptr;               ///< bucket_gradient_scratch(…) floats, aligned to 64 bytes
};
std::size_t bucket_gradient_scratch(std::size_t size, int depth);
void bucket_gradient(const BucketGradient& gradient);

namespace plain {
void bucket_gradient(const BucketGradient& gradient);
}

}  // namespace snapcube::kernels
