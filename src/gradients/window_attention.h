#pragma once
// The attention half of a block on its kept windows, x ← x + SAH-MSA(LayerNorm(x)), and its gradient, for training.
//
// Projections are folded: with n the normalised tokens of a window, head h has logits nᵢᵀ·(Wqᵀ Wk)·nⱼ and gives (Wo
// Wv)·u, u being the mixture of the tokens themselves. The products of weights are the caller's, and so are their
// gradients.

#include <cstdint>
#include <vector>

#include "gradients/planes.h"

namespace snapcube::gradients {

struct WindowAttention {
  int heads = 1;
  int window = 16;  ///< M
  int bucket = 64;  ///< m, divides M²
  int rounds = 2;   ///< R
  int shift = 0;    ///< windows start this far down and to the right, around the edge
  bool hash_floor = false;
  const float* gamma = nullptr;       ///< [C]
  const float* beta = nullptr;        ///< [C]
  const float* logits = nullptr;      ///< Wkᵀ Wq, [heads][C][C]: query i is this times nᵢ
  const float* values = nullptr;      ///< Wo Wv, [heads][C][C]
  const float* hash_alpha = nullptr;  ///< [C/heads + 2][R]
  const float* hash_beta = nullptr;   ///< [R]

  int tokens() const { return window * window; }
};

/// What the backward pass needs to know of the forward pass; windows of all samples one after the other.
struct WindowMemory {
  float* mixed = nullptr;          ///< u, [windows][heads][C][tokens]
  float* total = nullptr;          ///< logsumexp over all keys, [windows][heads][tokens]
  std::uint16_t* order = nullptr;  ///< tokens by hash code, [windows][heads][rounds][tokens]
};

/// windows: [batch][kept], numbers of windows row by row. y may be x. Windows that are not kept are copied.
void attend(const WindowAttention& attention, const ConstPlanes& x, const std::int64_t* windows, int kept,
            const Planes& y, const WindowMemory& memory);

/// Gradients that are added to.
struct WindowAttentionGradients {
  float* gamma = nullptr;
  float* beta = nullptr;
  float* logits = nullptr;
  float* values = nullptr;
};
/// dx = dy·∂y/∂x. The same result for every number of threads.
void attend_backward(const WindowAttention& attention, const ConstPlanes& x, const std::int64_t* windows, int kept,
                     const WindowMemory& memory, const ConstPlanes& dy, const Planes& dx,
                     const WindowAttentionGradients& gradients);

}  // namespace snapcube::gradients
