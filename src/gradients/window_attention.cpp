#include "gradients/window_attention.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "engine/packed.h"
#include "gradients/pieces.h"
#include "kernels/bucket_attention.h"
#include "kernels/bucket_gradient.h"
#include "kernels/elementwise.h"
#include "kernels/gradients.h"
#include "kernels/hash.h"

namespace snapcube::gradients {

namespace {

using engine::pack;
using engine::Packed;

/// Windows whose gradients are summed by one thread before they join the others'.
constexpr int kWindowsTogether = 8;

/// The matrices as the kernels want them.
struct Matrices {
  Matrices(const WindowAttention& a, int channels) {
    const auto size = static_cast<std::size_t>(channels) * static_cast<std::size_t>(channels);
    FloatBuffer turned(size);
    const auto both = [&](const float* matrix, std::vector<Packed>& straight, std::vector<Packed>& back) {
      for (int r = 0; r < channels; ++r) {
        for (int c = 0; c < channels; ++c)
          turned[static_cast<std::size_t>(c * channels + r)] = matrix[r * channels + c];
      }
      straight.push_back(pack(matrix, channels, channels));
      back.push_back(pack(turned.data(), channels, channels));
    };
    for (std::size_t h = 0; h < static_cast<std::size_t>(a.heads); ++h) {
      both(a.logits + h * size, logits, logits_back);
      both(a.values + h * size, values, values_back);
    }
  }
  std::vector<Packed> logits, logits_back, values, values_back;
};

/// One thread's memory for one window; planes of its tokens.
class Room {
 public:
  Room(const WindowAttention& a, int channels)
      : tokens(static_cast<std::size_t>(a.tokens())),
        pitch((tokens / 16 | 1) * 16),
        plane(static_cast<std::size_t>(channels) * pitch),
        per_round(static_cast<std::size_t>(a.rounds) * tokens),
        memory_(6 * plane + static_cast<std::size_t>(a.rounds) * plane + 3 * per_round + tokens +
                static_cast<std::size_t>(a.rounds) * 16 +
                std::max(kernels::bucket_attention_scratch(static_cast<std::size_t>(a.bucket), channels, channels),
                         kernels::bucket_gradient_scratch(static_cast<std::size_t>(a.bucket), channels)) +
                16 * 16),
        order(per_round),
        places(per_round),
        sort_room(2 * tokens),
        lengths(tokens) {
    float* next = memory_.data();
    const auto take = [&](std::size_t floats) {
      float* start = next;
      next += (floats + 15) / 16 * 16;
      return start;
    };
    features = take(plane);
    normal = take(plane);
    query = take(plane);
    gradient = take(plane);
    mixed_gradient = take(plane);
    query_gradient = take(plane);
    products = take(static_cast<std::size_t>(a.rounds) * plane);
    codes = take(per_round);
    tops = take(per_round);
    sums = take(per_round);
    along = take(tokens);
    mixing = take(static_cast<std::size_t>(a.rounds) * 16);
    scratch = next;
  }

  std::size_t tokens, pitch, plane, per_round;

 private:
  FloatBuffer memory_;

 public:
  float *features, *normal, *query, *gradient, *mixed_gradient, *query_gradient, *products;
  float *codes, *tops, *sums, *along, *mixing, *scratch;
  std::vector<std::uint32_t> order, places;
  std::vector<std::uint64_t> sort_room;
  std::vector<double> lengths;
};

/// Runs through the pixels of a window as move(pixels in the map, tokens, count).
template <typename Float, typename Move>
void for_each_run(const WindowAttention& a, const PlanesOf<Float>& map, int sample, std::int64_t number, float* tokens,
                  std::size_t pitch, const Move& move) {
  const int across = map.width / a.window;
  const int top = static_cast<int>(number) / across * a.window + a.shift;
  const int left = static_cast<int>(number) % across * a.window + a.shift;
  const int before_edge = std::min(a.window, std::max(0, map.width - left));
  for (int r = 0; r < a.window; ++r) {
    Float* row = map.row(sample, (top + r) % map.height);
    for (int c = 0; c < map.channels; ++c) {
      Float* pixels = row + static_cast<std::size_t>(c) * map.pitch();
      float* own = tokens + static_cast<std::size_t>(c) * pitch + r * a.window;
      if (before_edge > 0) move(pixels + left, own, before_edge);
      if (before_edge < a.window)
        move(pixels + std::max(0, left - map.width), own + before_edge, a.window - before_edge);
    }
  }
}

void gather(const WindowAttention& a, const ConstPlanes& map, int sample, std::int64_t number, const Room& room,
            float* tokens) {
  for_each_run(a, map, sample, number, tokens, room.pitch, [](const float* pixels, float* own, int count) {
    std::memcpy(own, pixels, static_cast<std::size_t>(count) * sizeof(float));
  });
}

void scatter(const WindowAttention& a, const Planes& map, int sample, std::int64_t number, const Room& room,
             float* tokens) {
  for_each_run(a, map, sample, number, tokens, room.pitch, [](float* pixels, const float* own, int count) {
    std::memcpy(pixels, own, static_cast<std::size_t>(count) * sizeof(float));
  });
}

void product(const Packed& weights, const float* in, const Room& room, float* out, bool add) {
  kernels::RowProduct p = weights.product();
  p.taps = &in;
  p.pitch = p.out_pitch = p.residual_pitch = room.pitch;
  p.pixels = room.tokens;
  p.out = out;
  p.residual = add ? out : nullptr;
  kernels::row_product(p);
}

/// Order of the tokens of head h, all rounds.
void hash(const WindowAttention& a, int channels, int h, Room& room) {
  const int width = channels / a.heads;
  const kernels::HashVectors vectors{a.hash_alpha, a.hash_beta, width, a.rounds, a.hash_floor};
  kernels::hash_codes(room.normal + static_cast<std::size_t>(h * width) * room.pitch, room.pitch, room.tokens, vectors,
                      room.codes, room.lengths.data());
  for (std::size_t r = 0; r < static_cast<std::size_t>(a.rounds); ++r) {
    std::uint32_t* order = room.order.data() + r * room.tokens;
    kernels::sort_codes(room.codes + r * room.tokens, room.tokens, order, room.sort_room.data());
    for (std::size_t i = 0; i < room.tokens; ++i) {
      room.places[r * room.tokens + order[i]] = static_cast<std::uint32_t>(i);
    }
  }
}

/// u and the logsumexp of head h.
void attend_head(const WindowAttention& a, int channels, Room& room, float* mixed, float* total) {
  const auto size = static_cast<std::size_t>(a.bucket);
  for (std::size_t r = 0; r < static_cast<std::size_t>(a.rounds); ++r) {
    for (std::size_t first = 0; first < room.tokens; first += size) {
      kernels::BucketAttention b;
      b.q = room.query;
      b.k = b.v = room.normal;
      b.pitch = b.product_pitch = room.pitch;
      b.depth = b.value_depth = channels;
      b.bucket = room.order.data() + r * room.tokens + first;
      b.size = size;
      b.product = room.products + r * room.plane + first;
      b.top = room.tops + r * room.tokens + first;
      b.sum = room.sums + r * room.tokens + first;
      b.scratch = room.scratch;
      kernels::bucket_attention(b);
    }
  }
  kernels::RoundMixing m;
  m.rounds = a.rounds;
  m.products = room.products;
  m.tops = room.tops;
  m.sums = room.sums;
  m.places = room.places.data();
  m.count = room.tokens;
  m.channels = channels;
  m.pitch = room.pitch;
  m.out = room.mixed_gradient;  // free in the forward pass
  m.scratch = room.mixing;
  kernels::mix_rounds(m);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    std::memcpy(mixed + c * room.tokens, m.out + c * room.pitch, room.tokens * sizeof(float));
  }
  for (std::size_t t = 0; t < room.tokens; ++t) {
    float top = -INFINITY;
    for (std::size_t r = 0; r < static_cast<std::size_t>(a.rounds); ++r) {
      top = std::max(top, room.tops[r * room.tokens + room.places[r * room.tokens + t]]);
    }
    float sum = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(a.rounds); ++r) {
      const std::size_t at = r * room.tokens + room.places[r * room.tokens + t];
      sum += std::exp(room.tops[at] - top) * room.sums[at];
    }
    total[t] = top + std::log(sum);
  }
}

void attend_window(const WindowAttention& a, const Matrices& matrices, const ConstPlanes& x, int sample,
                   std::int64_t number, const Planes& y, const WindowMemory& memory, Room& room) {
  const int channels = x.channels;
  gather(a, x, sample, number, room, room.features);
  kernels::layer_norm(room.features, room.pitch, channels, room.tokens, a.gamma, a.beta, room.normal, room.pitch);
  for (int h = 0; h < a.heads; ++h) {
    const auto head = static_cast<std::size_t>(h);
    float* mixed = memory.mixed + head * static_cast<std::size_t>(channels) * room.tokens;
    product(matrices.logits[head], room.normal, room, room.query, false);
    hash(a, channels, h, room);
    std::uint16_t* order = memory.order + head * room.per_round;
    for (std::size_t i = 0; i < room.per_round; ++i) order[i] = static_cast<std::uint16_t>(room.order[i]);
    attend_head(a, channels, room, mixed, memory.total + head * room.tokens);
    product(matrices.values[head], room.mixed_gradient, room, room.features, true);
  }
  scatter(a, y, sample, number, room, room.features);
}

/// Where the sums of some windows lie.
struct Sums {
  Sums(int heads, int channels)
      : logits(static_cast<std::size_t>(2 * channels)),
        matrix(static_cast<std::size_t>(channels) * static_cast<std::size_t>(channels)),
        values(logits + static_cast<std::size_t>(heads) * matrix),
        size(values + static_cast<std::size_t>(heads) * matrix) {}
  std::size_t logits, matrix, values, size;  ///< γ and β come first
};

void outer(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels, std::size_t tokens,
           float* out) {
  kernels::OuterProduct o;
  o.a = a;
  o.a_pitch = a_pitch;
  o.a_channels = channels;
  o.b = b;
  o.b_pitch = b_pitch;
  o.b_channels = channels;
  o.pixels = tokens;
  o.out = out;
  kernels::outer_product(o);
}

void window_backward(const WindowAttention& a, const Matrices& matrices, const ConstPlanes& x, int sample,
                     std::int64_t number, const WindowMemory& memory, const ConstPlanes& dy, const Planes& dx,
                     Room& room, float* sums) {
  const int channels = x.channels;
  const Sums place(a.heads, channels);
  const auto planes = static_cast<std::size_t>(channels);
  // Of the room: features holds x, gradient dy, products the gradient of the normalised tokens.
  gather(a, x, sample, number, room, room.features);
  gather(a, dy, sample, number, room, room.gradient);
  kernels::layer_norm(room.features, room.pitch, channels, room.tokens, a.gamma, a.beta, room.normal, room.pitch);
  float* normal_gradient = room.products;
  std::memset(normal_gradient, 0, room.plane * sizeof(float));
  for (int h = 0; h < a.heads; ++h) {
    const auto head = static_cast<std::size_t>(h);
    const float* mixed = memory.mixed + head * planes * room.tokens;
    const float* total = memory.total + head * room.tokens;
    const std::uint16_t* order = memory.order + head * room.per_round;
    product(matrices.logits[head], room.normal, room, room.query, false);
    product(matrices.values_back[head], room.gradient, room, room.mixed_gradient, false);
    outer(room.gradient, room.pitch, mixed, room.tokens, channels, room.tokens,
          sums + place.values + head * place.matrix);
    std::memset(room.along, 0, room.tokens * sizeof(float));
    for (std::size_t c = 0; c < planes; ++c) {
      const float* u = mixed + c * room.tokens;
      const float* g = room.mixed_gradient + c * room.pitch;
      for (std::size_t t = 0; t < room.tokens; ++t) room.along[t] += u[t] * g[t];
    }
    std::memset(room.query_gradient, 0, room.plane * sizeof(float));
    for (std::size_t i = 0; i < room.per_round; ++i) room.order[i] = order[i];
    const auto size = static_cast<std::size_t>(a.bucket);
    for (std::size_t first = 0; first < room.per_round; first += size) {
      kernels::BucketGradient b;
      b.q = room.query;
      b.k = room.normal;
      b.g = room.mixed_gradient;
      b.total = total;
      b.along = room.along;
      b.pitch = room.pitch;
      b.depth = channels;
      b.bucket = room.order.data() + first;
      b.size = size;
      b.dq = room.query_gradient;
      b.dk = normal_gradient;
      b.scratch = room.scratch;
      kernels::bucket_gradient(b);
    }
    outer(room.query_gradient, room.pitch, room.normal, room.pitch, channels, room.tokens,
          sums + place.logits + head * place.matrix);
    product(matrices.logits_back[head], room.query_gradient, room, normal_gradient, true);
  }
  kernels::LayerNormGradient g;
  g.in = room.features;
  g.in_pitch = room.pitch;
  g.gradient = normal_gradient;
  g.gradient_pitch = room.pitch;
  g.gamma = a.gamma;
  g.channels = channels;
  g.pixels = room.tokens;
  g.out = room.gradient;  // x itself passes dy on
  g.out_pitch = room.pitch;
  g.gamma_gradient = sums;
  g.beta_gradient = sums + channels;
  kernels::layer_norm_gradient(g);
  scatter(a, dx, sample, number, room, room.gradient);
}

/// The memory of one window of all.
WindowMemory memory_of(const WindowMemory& all, std::size_t window, const WindowAttention& a, int channels) {
  const std::size_t head_tokens = window * static_cast<std::size_t>(a.heads) * static_cast<std::size_t>(a.tokens());
  return {all.mixed + head_tokens * static_cast<std::size_t>(channels), all.total + head_tokens,
          all.order + head_tokens * static_cast<std::size_t>(a.rounds)};
}

template <typename From>
void copy_all(const From& from, const Planes& to) {
  if (from.data == to.data) return;
  const auto floats = static_cast<std::ptrdiff_t>(from.channels) * from.width * from.height * from.batch;
  constexpr std::ptrdiff_t kBlock = 1 << 16;
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < floats; i += kBlock) {
    std::memcpy(to.data + i, from.data + i, static_cast<std::size_t>(std::min(kBlock, floats - i)) * sizeof(float));
  }
}

}  // namespace

void attend(const WindowAttention& a, const ConstPlanes& x, const std::int64_t* windows, int kept, const Planes& y,
            const WindowMemory& memory) {
  const Matrices matrices(a, x.channels);
  copy_all(x, y);
  const int count = x.batch * kept;
#pragma omp parallel
  {
    Room room(a, x.channels);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < count; ++i) {
      attend_window(a, matrices, x, i / kept, windows[i], y,
                    memory_of(memory, static_cast<std::size_t>(i), a, x.channels), room);
    }
  }
}

void attend_backward(const WindowAttention& a, const ConstPlanes& x, const std::int64_t* windows, int kept,
                     const WindowMemory& memory, const ConstPlanes& dy, const Planes& dx,
                     const WindowAttentionGradients& gradients) {
  const Matrices matrices(a, x.channels);
  copy_all(dy, dx);
  const Sums place(a.heads, x.channels);
  const int count = x.batch * kept;
  // Large matrices make large sums: few of them, but enough for the threads.
  const int together = std::max(1, std::min(kWindowsTogether, count / 8));
  const int groups = (count + together - 1) / together;
  std::vector<float> total(place.size);
  std::vector<std::unique_ptr<Room>> rooms(static_cast<std::size_t>(omp_get_max_threads()));
  parallel_sums(groups, place.size, total.data(), [&](int group, float* sums) {
    auto& room = rooms[static_cast<std::size_t>(omp_get_thread_num())];
    if (!room) room = std::make_unique<Room>(a, x.channels);
    for (int i = group * together; i < std::min(count, (group + 1) * together); ++i) {
      window_backward(a, matrices, x, i / kept, windows[i],
                      memory_of(memory, static_cast<std::size_t>(i), a, x.channels), dy, dx, *room, sums);
    }
  });
  const auto give = [&](std::size_t from, std::size_t size, float* to) {
    for (std::size_t k = 0; k < size; ++k) to[k] += total[from + k];
  };
  const auto channels = static_cast<std::size_t>(x.channels);
  const std::size_t matrix = static_cast<std::size_t>(a.heads) * place.matrix;
  give(0, channels, gradients.gamma);
  give(channels, channels, gradients.beta);
  give(place.logits, matrix, gradients.logits);
  give(place.values, matrix, gradients.values);
}

}  // namespace snapcube::gradients
