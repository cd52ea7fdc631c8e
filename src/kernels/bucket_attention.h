#pragma once
// Attention inside one bucket of tokens, and the mixing of hash rounds: equations (9) to (11) of the paper.
//
// Softmax is kept apart into a maximum, a sum and a product that is not yet divided, so that rounds can be mixed
// without a logarithm: with s_r = top_r + log sum_r, softmax over r of s_r times product_r / sum_r is Σ_r e^(top_r − M)
// product_r / Σ_r e^(top_r − M) sum_r, M = max_r top_r.

#include <cstddef>
#include <cstdint>

namespace snapcube::kernels {

/// With tokens i, j of the bucket: logit_ij = q_i · k_j; top_i = max_j logit_ij; sum_i = Σ_j e^(logit_ij − top_i);
/// product_i = Σ_j e^(logit_ij − top_i) v_j. Tokens are planar; token t has its channel c at [c·pitch + t].
struct BucketAttention {
  const float* q = nullptr;  ///< depth channels
  const float* k = nullptr;  ///< depth channels
  const float* v = nullptr;  ///< value_depth channels; may be k
  std::size_t pitch = 0;     ///< of q, k and v
  int depth = 0;
  int value_depth = 0;
  const std::uint32_t* bucket = nullptr;  ///< its tokens
  std::size_t size = 0;                   ///< how many
  float* product = nullptr;               ///< [value_depth][product_pitch]: in the order of the bucket
  std::size_t product_pitch = 0;
  float* top = nullptr;      ///< [size]
  float* sum = nullptr;      ///< [size]
  float* scratch = nullptr;  ///< bucket_attention_scratch(…) floats, aligned to 64 bytes
};
std::size_t bucket_attention_scratch(std::size_t size, int depth, int value_depth);
void bucket_attention(const BucketAttention& attention);

/// out[c][t] = Σ_r w_r(t) product_r[c][place_r[t]]; w_r as above. All buckets of a round stand one after the other in
/// product_r, top_r and sum_r; place_r[t] says where token t went.
struct RoundMixing {
  int rounds = 0;
  const float* products = nullptr;        ///< [rounds][channels][pitch]
  const float* tops = nullptr;            ///< [rounds][count]
  const float* sums = nullptr;            ///< [rounds][count]
  const std::uint32_t* places = nullptr;  ///< [rounds][count]
  std::size_t count = 0;
  int channels = 0;
  std::size_t pitch = 0;  ///< of products and out
  float* out = nullptr;
  float* scratch = nullptr;  ///< rounds · 16 floats
};
void mix_rounds(const RoundMixing& mixing);

namespace plain {
void bucket_attention(const BucketAttention& attention);
void mix_rounds(const RoundMixing& mixing);
}  // namespace plain

}  // namespace snapcube::kernels
