#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "engine/sah_attention.h"
#include "kernels/bucket_attention.h"

namespace snapcube::engine {

namespace {

constexpr int kInnerFactor = 3;  // the published weights project C channels to 3C

/// out[i][j] = scale · Σ_k a[k·a_step + i·a_row] · b[k·b_step + j], in double.
FloatBuffer product(const float* a, std::size_t a_row, std::size_t a_step, const float* b, std::size_t b_step, int rows,
                    int columns, int depth, double scale) {
  const auto n = static_cast<std::size_t>(columns);
  std::vector<double> wide;  // b, which every row needs in double
  wide.reserve(n * static_cast<std::size_t>(depth));
  for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
    wide.insert(wide.end(), b + k * b_step, b + k * b_step + n);
  }
  FloatBuffer out(n * static_cast<std::size_t>(rows));
  const auto one_row = [&](std::size_t i, std::vector<double>& row) {
    std::ranges::fill(row, 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
      const double factor = a[i * a_row + k * a_step];
      const double* from = wide.data() + k * n;
      for (std::size_t j = 0; j < n; ++j) row[j] += factor * from[j];
    }
    for (std::size_t j = 0; j < n; ++j) out[i * n + j] = static_cast<float>(scale * row[j]);
  };
  parallel_for(
      rows, [&] { return std::vector<double>(n); },
      [&](std::int64_t i, std::vector<double>& row) { one_row(static_cast<std::size_t>(i), row); });
  return out;
}

}  // namespace

SahAttention::SahAttention(const ModelConfig& config, int stage, const TensorsOf& tensors, const TensorsOf* norm)
    : channels_(config.channels(stage)),
      heads_(config.heads(stage)),
      window_(config.window),
      bucket_(config.bucket),
      rounds_(config.rounds),
      scope_(config.scope),
      hash_floor_(config.hash_floor),
      hash_alpha_(tensors("hash_alpha").values),
      hash_beta_(tensors("hash_beta").values) {
  if (norm) {
    gamma_ = (*norm)("weight").values;
    beta_ = (*norm)("bias").values;
  }
  const int inner = kInnerFactor * channels_ / heads_;
  // Multiply-adds a token and head: projections and products with the bucket's keys and values.
  const auto cost = [&](int depth, int projections) {
    return projections * channels_ * depth + 2 * rounds_ * bucket_ * depth;
  };
  folded_ = cost(channels_, 2) < cost(inner, 4);
  depth_ = folded_ ? channels_ : inner;
  const double scale = config.scale_logits ? 1 / std::sqrt(static_cast<double>(inner)) : 1.0;
  const float* q = tensors("to_q.weight").values.data();
  const float* k = tensors("to_k.weight").values.data();
  const float* v = tensors("to_v.weight").values.data();
  const float* out = tensors("to_out.weight").values.data();
  const auto c = static_cast<std::size_t>(channels_);
  const auto all_inner = static_cast<std::size_t>(inner * heads_);
  FloatBuffer joined(c * static_cast<std::size_t>(heads_ * depth_));  // [channels][heads · depth]
  for (int h = 0; h < heads_; ++h) {
    const std::size_t first = static_cast<std::size_t>(h * inner);
    Head head;
    FloatBuffer to_out;  // [channels][depth]
    if (folded_) {
      // logit_ij = (Wkᵀ Wq eᵢ) · eⱼ
      head.query = pack(product(k + first * c, 1, c, q + first * c, c, channels_, channels_, inner, scale).data(),
                        channels_, channels_);
      to_out = product(out + first, all_inner, 1, v + first * c, c, channels_, channels_, inner, 1);
    } else {
      FloatBuffer scaled(q + first * c, q + (first + static_cast<std::size_t>(inner)) * c);
      for (float& w : scaled) w = static_cast<float>(w * scale);
      head.query = pack(scaled.data(), inner, channels_);
      head.key = pack(k + first * c, inner, channels_);
      head.value = pack(v + first * c, inner, channels_);
      for (std::size_t o = 0; o < c; ++o) {
        to_out.insert(to_out.end(), out + o * all_inner + first, out + o * all_inner + first + inner);
      }
    }
    const auto depth = static_cast<std::size_t>(depth_);
    for (std::size_t o = 0; o < c; ++o) {
      std::copy_n(to_out.data() + o * depth, depth,
                  joined.data() + (o * static_cast<std::size_t>(heads_) + static_cast<std::size_t>(h)) * depth);
    }
    head_.push_back(std::move(head));
  }
  out_ = pack(joined.data(), channels_, heads_ * depth_);
}

}  // namespace snapcube::engine
