#pragma once
// SAH-MSA with its LayerNorm and residual (section 3.3 of the paper), on the kept windows of a map, in place.
//
// A window's tokens are gathered to [channels][tokens] and everything happens there, in a core's L2 cache. Where it
// means less work, the projections are folded: with q·k = eᵢᵀ(Wqᵀ Wk)eⱼ and Wo(A v) = (Wo Wv)(A e) keys and values are
// the tokens themselves. The products of weights are formed once, in double precision.

#include <vector>

#include "engine/packed.h"
#include "engine/workspace.h"

namespace snapcube::engine {

class SahAttention {
 public:
  /// tensors: those below "attn.fn."; norm: those below "attn.norm.", or null for tokens that are normalised already.
  SahAttention(const ModelConfig& config, int stage, const TensorsOf& tensors, const TensorsOf* norm);

  /// map[windows] += SAH-MSA(LayerNorm(map[windows])). Windows count row by row; `shift` moves them down and to the
  /// right, around the map's edge.
  void run(const Map& map, const std::vector<int>& windows, int shift, Team& team) const;
  /// Floats of scratch a thread needs.
  std::size_t scratch() const { return scope_ == Scope::local ? group_scratch(window_tokens()) : bucket_scratch(); }
  /// Floats that all threads share, for the tokens of `windows` windows.
  std::size_t shared_scratch(int windows) const;

 private:
  struct Head {
    Packed query;       ///< tokens to queries, times the logits' scale
    Packed key, value;  ///< empty when folded
  };
  struct Group;

  std::size_t window_tokens() const { return static_cast<std::size_t>(window_) * static_cast<std::size_t>(window_); }
  std::size_t group_scratch(std::size_t tokens) const;
  std::size_t bucket_scratch() const;
  void attend(Group& group, Team* team, Workspace& own) const;
  void attend_head(Group& group, int head, Team* team, Workspace& own) const;
  void move_window(const Map& map, int window, int shift, float* tokens, std::size_t pitch, bool back) const;

  int channels_;
  int heads_;
  int window_;
  int bucket_;
  int rounds_;
  Scope scope_;
  bool hash_floor_;
  bool folded_;
  int depth_;  ///< of queries, keys and values
  FloatBuffer gamma_, beta_, hash_alpha_, hash_beta_;
  std::vector<Head> head_;
  Packed out_;  ///< all heads' mixed values to channels
};

}  // namespace snapcube::engine
