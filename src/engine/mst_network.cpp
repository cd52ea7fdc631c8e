#include "engine/mst_network.h"

#include <fmt/format.h>

#include "models/mst_form.h"

namespace snapcube::engine {

namespace {

std::vector<Msab> make_blocks(const ModelConfig& config, int stage, const TensorsOf& tensors) {
  std::vector<Msab> blocks;
  const int count = find_mst_form(config.variant)->blocks[static_cast<std::size_t>(stage)];
  for (int j = 0; j < count; ++j) {
    blocks.emplace_back(config.channels(stage), config.heads(stage), tensors.below(fmt::format("blocks.{}.", j)));
  }
  return blocks;
}

/// The 1×1 convolution of (up, skip), [channels][2·channels], divided: what it makes of `up` goes into the transposed
/// convolution before it.
Upsampling fuse_up(const NamedTensor& weight, const NamedTensor& bias, const NamedTensor& fusion) {
  const auto channels = static_cast<std::size_t>(fusion.shape[0]);
  const auto inputs = static_cast<std::size_t>(weight.shape[0]);
  const auto share = [&](std::size_t o, std::size_t k) {
    return static_cast<double>(fusion.values[o * 2 * channels + k]);
  };
  NamedTensor fused = weight;  // [inputs][channels][2][2]
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t o = 0; o < channels; ++o) {
      for (std::size_t tap = 0; tap < 4; ++tap) {
        double sum = 0;
        for (std::size_t k = 0; k < channels; ++k) sum += share(o, k) * weight.values[(i * channels + k) * 4 + tap];
        fused.values[(i * channels + o) * 4 + tap] = static_cast<float>(sum);
      }
    }
  }
  NamedTensor fused_bias = bias;
  for (std::size_t o = 0; o < channels; ++o) {
    double sum = 0;
    for (std::size_t k = 0; k < channels; ++k) sum += share(o, k) * bias.values[k];
    fused_bias.values[o] = static_cast<float>(sum);
  }
  return {fused, fused_bias};
}

Packed skip_part(const NamedTensor& fusion) {
  const auto channels = static_cast<std::size_t>(fusion.shape[0]);
  FloatBuffer part;
  for (std::size_t o = 0; o < channels; ++o) {
    const float* row = fusion.values.data() + o * 2 * channels;
    part.insert(part.end(), row + channels, row + 2 * channels);
  }
  return pack(part.data(), static_cast<int>(channels), static_cast<int>(channels));
}

std::size_t map_floats(int channels, int height, int width) {
  return kLine + static_cast<std::size_t>(channels) * pitch_of(width) * static_cast<std::size_t>(height);
}

}  // namespace

Msab::Msab(int channels, int heads, const TensorsOf& t)
    : guide(t.below("0.mm.")),
      attention(channels, heads, t.below("0.")),
      feed_forward(t("1.norm.weight"), t("1.norm.bias"), t("1.fn.net.0.weight"), t("1.fn.net.2.weight"),
                   t("1.fn.net.4.weight")) {}

MstNetwork::MstNetwork(const Weights& weights) : config_(weights.config) {
  const TensorsOf all(weights);
  embedding_ = pack(all("embedding.weight"));
  for (int i = 0; i < 2; ++i) {
    const TensorsOf encoder = all.below(fmt::format("encoder_layers.{}.", i));
    const TensorsOf decoder = all.below(fmt::format("decoder_layers.{}.", i));
    encoder_[i] = make_blocks(config_, i, encoder.below("0."));
    down_.emplace_back(encoder("1.weight"));
    mask_down_.emplace_back(encoder("2.weight"));
    up_.push_back(fuse_up(decoder("0.weight"), decoder("0.bias"), decoder("1.weight")));
    skip_.push_back(skip_part(decoder("1.weight")));
    decoder_[i] = make_blocks(config_, 1 - i, decoder.below("2."));
  }
  bottleneck_ = make_blocks(config_, 2, all.below("bottleneck."));
  mapping_ = pack(all("mapping.weight"));
  int blocks = 0;
  each_block([&](const Msab&, int, std::size_t) { ++blocks; });
  clock_.set_layers(6 + 2 * blocks);
}

template <typename F>
void MstNetwork::each_block(const F& f) const {
  std::size_t index = 0;
  const auto add = [&](const std::vector<Msab>& blocks, int stage) {
    for (const Msab& block : blocks) f(block, stage, index++);
  };
  add(encoder_[0], 0);
  add(encoder_[1], 1);
  add(bottleneck_, 2);
  add(decoder_[0], 1);
  add(decoder_[1], 0);
}

bool MstNetwork::MaskKey::is(const Camera& camera) const {
  if (mask.height() != camera.height() || mask.width() != camera.width() || axis != camera.axis()) return false;
  if (static_cast<int>(offsets.size()) != camera.bands()) return false;
  for (int b = 0; b < camera.bands(); ++b) {
    if (offsets[static_cast<std::size_t>(b)] != camera.offset(b)) return false;
  }
  for (int y = 0; y < mask.height(); ++y) {
    if (!std::equal(mask.row(y), mask.row(y) + mask.width(), camera.mask().row(y))) return false;
  }
  return true;
}

void MstNetwork::prepare(const Camera& camera, int threads, Guides guides) {
  const FrameSize usable = usable_size(config_, camera.height(), camera.width());
  const bool same_plan = planned_.height == usable.height && planned_.width == usable.width && guides_kept_ == guides;
  const bool same_masks = same_plan && key_.is(camera);
  if (!same_plan) {
    planned_ = {0, 0};
    plan_maps(usable);
    guides_kept_ = guides;
  }
  if (!same_masks) {
    key_ = {};
    for (int s = 0; s < 3; ++s) places_[s] = mask_place(camera, usable, s);
  }
  planned_ = usable;
  plan_workspaces(threads);
  if (!same_masks) take_masks(camera);
}

void MstNetwork::plan_maps(const FrameSize& usable) {
  const int c = config_.bands;
  for (MapStorage* m : {&base_, &full_[0], &full_[1], &half_[0], &half_[1], &quarter_[0], &quarter_[1]}) *m = {};
  for (MapStorage& m : masks_) m = {};
  guides_.clear();
  const auto at = [&](int stage) { return MapStorage(c << stage, usable.height >> stage, usable.width >> stage); };
  base_ = at(0);
  for (int i = 0; i < 2; ++i) {
    full_[i] = at(0);
    half_[i] = at(1);
    quarter_[i] = at(2);
  }
}

void MstNetwork::plan_workspaces(int threads) {
  std::size_t own = 0;
  const auto room = [&](std::size_t floats) { own = std::max(own, floats); };
  each_block([&](const Msab& block, int stage, std::size_t) {
    room(block.feed_forward.scratch(planned_.width >> stage));
    room(block.attention.scratch(planned_.width >> stage));
    room(block.guide.scratch(places_[stage].size.width));
    room_.prepare(config_.channels(stage), planned_.height >> stage);
  });
  for (int i = 0; i < 2; ++i) {
    const auto layer = static_cast<std::size_t>(i);
    room(down_[layer].scratch(planned_.width >> i));
    room(mask_down_[layer].scratch(places_[i].size.width));
    room(up_[layer].scratch(planned_.width >> (2 - i)));
  }
  team_.prepare(threads, own + 4 * kLine, 0);
}

void MstNetwork::take_masks(const Camera& camera) {
  for (int s = 0; s < 3; ++s) {
    masks_[s] = {};
    masks_[s] = MapStorage(config_.channels(s), places_[s].size.height, places_[s].size.width);
  }
  fill_shifted_masks(camera, planned_, masks_[0].view(), team_);
  for (std::size_t i = 0; i < 2; ++i) mask_down_[i].run(masks_[i].view(), masks_[i + 1].view(), team_);
  if (guides_kept_ == Guides::kept) {
    each_block([&](const Msab& block, int stage, std::size_t index) {
      if (guides_.size() == index) {
        guides_.emplace_back(config_.channels(stage), planned_.height >> stage, planned_.width >> stage);
      }
      block.guide.run(masks_[stage].view(), places_[stage], guides_[index].view(), team_);
    });
    for (MapStorage& m : masks_) m = {};
  }
  key_ = {camera.mask(), camera.offsets(), camera.axis()};
}

std::size_t MstNetwork::planned_bytes() const {
  std::size_t bytes = base_.bytes() + team_.bytes() + room_.bytes();
  for (int i = 0; i < 2; ++i) bytes += full_[i].bytes() + half_[i].bytes() + quarter_[i].bytes();
  for (const MapStorage& m : masks_) bytes += m.bytes();
  for (const MapStorage& m : guides_) bytes += m.bytes();
  return bytes + key_.mask.size() * sizeof(float);
}

std::size_t MstNetwork::bytes_for(const Camera& camera, Guides guides) const {
  const FrameSize usable = usable_size(config_, camera.height(), camera.width());
  const auto map = [&](int stage) {
    return map_floats(config_.channels(stage), usable.height >> stage, usable.width >> stage);
  };
  std::size_t floats = 3 * map(0) + 2 * map(1) + 2 * map(2) + camera.mask().size();
  const int down = camera.detector_height() - camera.height();
  const int across = camera.detector_width() - camera.width();
  for (int s = 0; s < 3; ++s) {
    floats += map_floats(config_.channels(s), (usable.height + down) >> s, (usable.width + across) >> s);
  }
  if (guides == Guides::kept) {
    each_block([&](const Msab&, int stage, std::size_t) { floats += map(stage); });
  }
  return floats * sizeof(float) + (std::size_t{16} << 20);
}

/// LeakyReLU(3×3(h)), h the shifted measurement.
void MstNetwork::embed(const Frame& frame) {
  const Map& h = base_.view();
  const Map& out = full_[0].view();
  team_.rows(h.height, [&](int y, Workspace& own) {
    own.times.measure(Kernel::resample, [&] { frame.read_row(y, 0, h.width, h.row(y), h.pitch); });
  });
  team_.rows(h.height, [&](int y, Workspace& own) {
    kernels::RowProduct p;
    p.activation = kernels::Activation::leaky_relu;
    p.out = out.row(y);
    p.out_pitch = out.pitch;
    convolve_3x3_row(embedding_, h, y, 1, p, own, h.width);
  });
}

/// The result is where the input was.
void MstNetwork::run_blocks(const std::vector<Msab>& blocks, const char* name, int stage, const PingPong& maps) {
  for (std::size_t j = 0; j < blocks.size(); ++j, ++block_) {
    const Msab& block = blocks[j];
    clock_.timed([&] { return fmt::format("{}.blocks.{}.attention", name, j); },
                 [&] {
                   Map guide = maps.other;
                   if (guides_kept_ == Guides::kept) {
                     guide = guides_[block_].view();
                   } else {
                     block.guide.run(masks_[stage].view(), places_[stage], guide, team_);
                   }
                   block.attention.run(maps.current, guide, maps.other, room_, team_);
                 });
    clock_.timed([&] { return fmt::format("{}.blocks.{}.ffn", name, j); },
                 [&] { block.feed_forward.run(maps.other, &maps.other, maps.current, team_); });
  }
}

/// 1×1(up(below), skip), the skip being the current map: the result is the other one.
MstNetwork::PingPong MstNetwork::join(int layer, const Map& below, const PingPong& maps) {
  const auto i = static_cast<std::size_t>(layer);
  const Map& skip = maps.current;
  const Map& out = maps.other;
  team_.rows(skip.height, [&](int y, Workspace& own) {
    const float* tap = skip.row(y);
    kernels::RowProduct p = skip_[i].product();
    p.taps = &tap;
    p.pitch = skip.pitch;
    p.pixels = skip.pixels();
    if (y + 1 < skip.height) {
      p.next = skip.row(y + 1);
      p.next_pitch = skip.pitch;
    }
    p.out = out.row(y);
    p.out_pitch = out.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
  });
  up_[i].run(below, &out, out, team_);
  return {maps.other, maps.current};
}

/// 3×3(feature) + h.
void MstNetwork::project(const Map& feature, const CubeView& out) {
  const Map& h = base_.view();
  team_.rows(out.height(), [&](int y, Workspace& own) {
    kernels::RowProduct p;
    p.residual = h.row(y);
    p.residual_pitch = h.pitch;
    p.out = out.row(0, y);
    p.out_pitch = static_cast<std::size_t>(out.band_stride());
    convolve_3x3_row(mapping_, feature, y, 1, p, own, out.width());
  });
}

void MstNetwork::run(const Frame& frame, const CubeView& out) {
  clock_.start(team_);
  block_ = 0;
  clock_.timed([] { return "embedding"; }, [&] { embed(frame); });
  PingPong full{full_[0].view(), full_[1].view()};
  run_blocks(encoder_[0], "encoder_layers.0.0", 0, full);
  PingPong half{half_[0].view(), half_[1].view()};
  clock_.timed([] { return "encoder_layers.0.1"; }, [&] { down_[0].run(full.current, half.current, team_); });
  run_blocks(encoder_[1], "encoder_layers.1.0", 1, half);
  const PingPong quarter{quarter_[0].view(), quarter_[1].view()};
  clock_.timed([] { return "encoder_layers.1.1"; }, [&] { down_[1].run(half.current, quarter.current, team_); });
  run_blocks(bottleneck_, "bottleneck", 2, quarter);
  clock_.timed([] { return "decoder_layers.0.1"; }, [&] { half = join(0, quarter.current, half); });
  run_blocks(decoder_[0], "decoder_layers.0.2", 1, half);
  clock_.timed([] { return "decoder_layers.1.1"; }, [&] { full = join(1, half.current, full); });
  run_blocks(decoder_[1], "decoder_layers.1.2", 0, full);
  clock_.timed([] { return "mapping"; }, [&] { project(full.current, out); });
  clock_.finish(team_);
}

}  // namespace snapcube::engine
