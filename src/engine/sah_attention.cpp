#include "engine/sah_attention.h"

#include <cstring>

#include "kernels/bucket_attention.h"
#include "kernels/elementwise.h"
#include "kernels/hash.h"

namespace snapcube::engine {

/// Tokens that are hashed together, and the memory they are worked on in. All planar, `pitch` apart.
struct SahAttention::Group {
  std::size_t tokens;
  std::size_t pitch;
  float* features;           ///< [channels]: as gathered; at the end with the result added
  float* normal;             ///< [channels]: after LayerNorm
  float* mixed;              ///< [heads · depth]
  float* query;              ///< [depth]: one head's, and so on
  float* key;                ///< [depth], or the normalised tokens
  float* value;              ///< the same
  float* products;           ///< [rounds][depth]
  float* codes;              ///< [rounds][tokens], then the maxima
  float* sums;               ///< [rounds][tokens]
  double* lengths;           ///< [tokens]
  std::uint32_t* order;      ///< [rounds][tokens]
  std::uint32_t* places;     ///< [rounds][tokens]
  std::uint64_t* sort_room;  ///< [2 · tokens]

  /// Takes all that from a workspace.
  Group(const SahAttention& a, std::size_t count, Workspace& own) : tokens(count), pitch(pitch_of_tokens(count)) {
    const auto planes = [&](int n) { return own.take(static_cast<std::size_t>(n) * pitch); };
    features = planes(a.channels_);
    normal = planes(a.channels_);
    mixed = planes(a.heads_ * a.depth_);
    query = planes(a.depth_);
    key = a.folded_ ? normal : planes(a.depth_);
    value = a.folded_ ? normal : planes(a.depth_);
    products = planes(a.rounds_ * a.depth_);
    const std::size_t per_round = static_cast<std::size_t>(a.rounds_) * tokens;
    codes = own.take(per_round);
    sums = own.take(per_round);
    lengths = reinterpret_cast<double*>(own.take(2 * tokens));
    order = reinterpret_cast<std::uint32_t*>(own.take(per_round));
    places = reinterpret_cast<std::uint32_t*>(own.take(per_round));
    sort_room = reinterpret_cast<std::uint64_t*>(own.take(4 * tokens));
  }
  static std::size_t pitch_of_tokens(std::size_t count) { return ((count + kLine - 1) / kLine | 1) * kLine; }
};

std::size_t SahAttention::bucket_scratch() const {
  return Workspace::rounded(kernels::bucket_attention_scratch(static_cast<std::size_t>(bucket_), depth_, depth_)) +
         Workspace::rounded(static_cast<std::size_t>(rounds_) * kLine);
}

std::size_t SahAttention::group_scratch(std::size_t tokens) const {
  const int planes = 2 * channels_ + (heads_ + (folded_ ? 1 : 3) + rounds_) * depth_;
  const std::size_t per_round = Workspace::rounded(static_cast<std::size_t>(rounds_) * tokens);
  return static_cast<std::size_t>(planes) * Group::pitch_of_tokens(tokens) + 4 * per_round +
         Workspace::rounded(2 * tokens) + Workspace::rounded(4 * tokens) + bucket_scratch();
}

std::size_t SahAttention::shared_scratch(int windows) const {
  return scope_ == Scope::local ? 0 : group_scratch(static_cast<std::size_t>(windows) * window_tokens());
}

void SahAttention::move_window(const Map& map, int window, int shift, float* tokens, std::size_t pitch,
                               bool back) const {
  const int across = map.width / window_;
  const int top = window / across * window_ + shift;
  const int left = window % across * window_ + shift;
  const int first = std::min(window_, map.width - left);  // pixels before the right edge
  for (int r = 0; r < window_; ++r) {
    float* row = map.row((top + r) % map.height);
    float* token = tokens + r * window_;
    for (int c = 0; c < map.channels; ++c) {
      float* pixels = row + static_cast<std::size_t>(c) * map.pitch;
      float* own = token + static_cast<std::size_t>(c) * pitch;
      if (first == window_ &&
          window_ == static_cast<int>(kLine)) {  // the usual case, which a length known to the compiler makes cheap
        std::memcpy(back ? pixels + left : own, back ? own : pixels + left, kLine * sizeof(float));
        continue;
      }
      const auto move = [&](float* pixel, float* at, int count) {
        std::memcpy(back ? pixel : at, back ? at : pixel, static_cast<std::size_t>(count) * sizeof(float));
      };
      move(pixels + left, own, first);
      if (first < window_) move(pixels, own + first, window_ - first);
    }
  }
}

void SahAttention::run(const Map& map, const std::vector<int>& windows, int shift, Team& team) const {
  if (scope_ == Scope::local) {
    team.each(static_cast<int>(windows.size()), [&](int i, Workspace& own) {
      const Workspace::Scope scope(own);
      Group group(*this, window_tokens(), own);
      const int window = windows[static_cast<std::size_t>(i)];
      const auto move = [&](bool back) {
        own.times.measure(Kernel::gather, [&] { move_window(map, window, shift, group.features, group.pitch, back); });
      };
      move(false);
      attend(group, nullptr, own);
      move(true);
    });
    return;
  }
  Workspace& shared = team.shared();
  const Workspace::Scope scope(shared);
  Group group(*this, windows.size() * window_tokens(), shared);
  const auto move_all = [&](bool back) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      move_window(map, windows[i], shift, group.features + i * window_tokens(), group.pitch, back);
    }
  };
  move_all(false);
  attend(group, &team, shared);
  move_all(true);
}

/// team: shares the buckets of a large group; null where the group is one thread's own.
void SahAttention::attend(Group& g, Team* team, Workspace& own) const {
  own.times.measure(Kernel::norm, [&] {
    if (gamma_.empty()) {
      std::copy_n(g.features, static_cast<std::size_t>(channels_) * g.pitch, g.normal);
    } else {
      kernels::layer_norm(g.features, g.pitch, channels_, g.tokens, gamma_.data(), beta_.data(), g.normal, g.pitch);
    }
  });
  for (int h = 0; h < heads_; ++h) attend_head(g, h, team, own);
  kernels::RowProduct p = out_.product();
  const float* tap = g.mixed;
  p.taps = &tap;
  p.pitch = g.pitch;
  p.pixels = g.tokens;
  p.residual = p.out = g.features;
  p.residual_pitch = p.out_pitch = g.pitch;
  own.times.measure(Kernel::project, [&] { kernels::row_product(p); });
}

void SahAttention::attend_head(Group& g, int h, Team* team, Workspace& own) const {
  const Head& head = head_[static_cast<std::size_t>(h)];
  own.times.measure(Kernel::project, [&] {
    const auto project = [&](const Packed& weights, float* to) {
      kernels::RowProduct p = weights.product();
      const float* tap = g.normal;
      p.taps = &tap;
      p.pitch = p.out_pitch = g.pitch;
      p.pixels = g.tokens;
      p.out = to;
      kernels::row_product(p);
    };
    project(head.query, g.query);
    if (!folded_) {
      project(head.key, g.key);
      project(head.value, g.value);
    }
  });
  own.times.measure(Kernel::hash, [&] {
    const int width = channels_ / heads_;
    const kernels::HashVectors vectors{hash_alpha_.data(), hash_beta_.data(), width, rounds_, hash_floor_};
    kernels::hash_codes(g.normal + static_cast<std::size_t>(h * width) * g.pitch, g.pitch, g.tokens, vectors, g.codes,
                        g.lengths);
    for (std::size_t r = 0; r < static_cast<std::size_t>(rounds_); ++r) {
      std::uint32_t* order = g.order + r * g.tokens;
      kernels::sort_codes(g.codes + r * g.tokens, g.tokens, order, g.sort_room);
      for (std::size_t i = 0; i < g.tokens; ++i) g.places[r * g.tokens + order[i]] = static_cast<std::uint32_t>(i);
    }
  });
  const auto depth = static_cast<std::size_t>(depth_);
  const auto size = static_cast<std::size_t>(bucket_);
  const std::size_t buckets = g.tokens / size;
  const auto attend_bucket = [&](int i, Workspace& mine) {
    const Workspace::Scope scope(mine);
    const std::size_t round = static_cast<std::size_t>(i) / buckets;
    const std::size_t first = static_cast<std::size_t>(i) % buckets * size;
    kernels::BucketAttention a;
    a.q = g.query;
    a.k = g.key;
    a.v = g.value;
    a.pitch = g.pitch;
    a.depth = a.value_depth = depth_;
    a.bucket = g.order + round * g.tokens + first;
    a.size = size;
    a.product = g.products + round * depth * g.pitch + first;
    a.product_pitch = g.pitch;
    a.top = g.codes + round * g.tokens + first;
    a.sum = g.sums + round * g.tokens + first;
    a.scratch = mine.take(kernels::bucket_attention_scratch(size, depth_, depth_));
    mine.times.measure(Kernel::attend, [&] { kernels::bucket_attention(a); });
  };
  const int work = rounds_ * static_cast<int>(buckets);
  if (team) {
    team->each(work, attend_bucket);
  } else {
    for (int i = 0; i < work; ++i) attend_bucket(i, own);
  }
  own.times.measure(Kernel::mix, [&] {
    const Workspace::Scope scope(own);
    kernels::RoundMixing m;
    m.rounds = rounds_;
    m.products = g.products;
    m.tops = g.codes;
    m.sums = g.sums;
    m.places = g.places;
    m.count = g.tokens;
    m.channels = depth_;
    m.pitch = g.pitch;
    m.out = g.mixed + static_cast<std::size_t>(h) * depth * g.pitch;
    m.scratch = own.take(static_cast<std::size_t>(rounds_) * kLine);
    kernels::mix_rounds(m);
  });
}

}  // namespace snapcube::engine
