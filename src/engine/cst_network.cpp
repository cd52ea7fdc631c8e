#include "engine/cst_network.h"

#include <fmt/format.h>

#include <snapcube/error.h>

namespace snapcube::engine {

namespace {

/// fution on concat(h, mask copied to every band): the mask's columns of the matrix add up to one.
Packed fuse_mask(const NamedTensor& fution, const ModelConfig& config) {
  if (!config.mask_input) return pack(fution);
  const auto bands = static_cast<std::size_t>(config.bands);
  FloatBuffer matrix;
  for (std::size_t o = 0; o < bands; ++o) {
    const float* row = fution.values.data() + o * 2 * bands;
    matrix.insert(matrix.end(), row, row + bands);
    double sum = 0;
    for (std::size_t i = bands; i < 2 * bands; ++i) sum += row[i];
    matrix.push_back(static_cast<float>(sum));
  }
  return pack(matrix.data(), config.bands, config.bands + 1);
}

std::vector<Sahab> make_blocks(const ModelConfig& config, int stage, const TensorsOf& tensors) {
  std::vector<Sahab> blocks;
  for (int j = 0; j < config.blocks[static_cast<std::size_t>(stage)]; ++j) {
    blocks.emplace_back(config, stage, j % 2 == 1, tensors.below(fmt::format("blocks.{}.", j)));
  }
  return blocks;
}

}  // namespace

Sahab::Sahab(const ModelConfig& config, int stage, bool shifted, const TensorsOf& t)
    : feed_forward(t("ffn.norm.weight"), t("ffn.norm.bias"), t("ffn.fn.net.0.weight"), t("ffn.fn.net.2.weight"),
                   t("ffn.fn.net.4.weight")),
      shift(shifted ? config.window / 2 : 0) {
  if (config.attention == Attention::none) return;
  const TensorsOf norm = t.below("attn.norm.");
  attention.emplace(config, stage, t.below("attn.fn."), &norm);
}

CstNetwork::CstNetwork(const Weights& weights) : config_(weights.config) {
  if (config_.has_other_attention()) {
    throw InputError(config_.variant, "attention", "none or sah, which the engine runs", text(config_.attention));
  }
  const TensorsOf all(weights);
  fution_ = fuse_mask(all("fution.weight"), config_);
  for (int i = 0; i < config_.estimators; ++i) {
    estimators_.emplace_back(config_.bands, all.below(config_.estimators == 1 ? "fe." : fmt::format("fe.{}.", i)));
  }
  pooled_.resize(estimators_.size());
  for (int i = 0; i < 2; ++i) {
    encoder_[i] = make_blocks(config_, i, all.below(fmt::format("encoder_layers.{}.0.", i)));
    down_.emplace_back(all(fmt::format("encoder_layers.{}.1.weight", i)));
    up_.emplace_back(all(fmt::format("decoder_layers.{}.0.weight", i)),
                     all(fmt::format("decoder_layers.{}.0.bias", i)));
    decoder_[i] = make_blocks(config_, 1 - i, all.below(fmt::format("decoder_layers.{}.1.", i)));
  }
  bottleneck_ = make_blocks(config_, 2, all.below("bottleneck."));
  out_proj_ = pack(all("out_proj.weight"));
  windows_.resize(block_places().size());
  const auto blocks = static_cast<int>(windows_.size());
  clock_.set_layers(7 + config_.estimators + (config_.attention == Attention::sah ? 2 : 1) * blocks);
}

void CstNetwork::set_sparsity(double sparsity) {
  if (config_.screening != Screening::estimator && config_.screening != Screening::random) {
    throw InputError("sparsity", "", "a model that screens windows by a share", fmt::format("{}", config_.variant));
  }
  ModelConfig changed = config_;
  changed.sparsity = sparsity;
  check(changed);
  config_ = changed;
}

std::vector<CstNetwork::BlockPlace> CstNetwork::block_places() const {
  std::vector<BlockPlace> places;
  const auto add = [&](const std::vector<Sahab>& blocks, int stage) {
    for (const Sahab& b : blocks) places.push_back({stage, b.shift});
  };
  add(encoder_[0], 0);
  add(encoder_[1], 1);
  add(bottleneck_, 2);
  add(decoder_[0], 1);
  add(decoder_[1], 0);
  return places;
}

void CstNetwork::prepare(int height, int width, int threads) {
  const int c = config_.bands;
  if (planned_.height != height || planned_.width != width) {
    planned_ = {0, 0};
    const auto at = [&](int channels, int divisor) { return MapStorage(channels, height / divisor, width / divisor); };
    base_ = at(c, 1);
    for (MapStorage* m : {&full_[0], &full_[1], &half_[0], &half_[1], &quarter_[0], &quarter_[1]}) *m = {};
    full_[0] = at(config_.has_error_map() ? c + 1 : c, 1);
    full_[1] = at(c, 1);
    for (int i = 0; i < 2; ++i) {
      half_[i] = at(2 * c, 2);
      quarter_[i] = at(4 * c, 4);
    }
    for (int s = 0; s < 3; ++s) masks_[s] = config_.has_error_map() ? Plane(height >> s, width >> s) : Plane();
    planned_ = {height, width};
  }
  std::size_t own = static_cast<std::size_t>(fution_.depth) * pitch_of(width);
  std::size_t shared = 0;
  const auto room = [&](std::size_t floats) { own = std::max(own, floats); };
  for (const Estimator& e : estimators_) room(e.scratch(width));
  const auto blocks = [&](const std::vector<Sahab>& all, int stage) {
    const int windows = (height >> stage) / config_.window * ((width >> stage) / config_.window);
    for (const Sahab& b : all) {
      room(b.feed_forward.scratch(width >> stage));
      if (!b.attention) continue;
      room(b.attention->scratch());
      shared = std::max(shared, b.attention->shared_scratch(config_.kept_windows(windows)));
    }
  };
  for (int i = 0; i < 2; ++i) {
    blocks(encoder_[i], i);
    blocks(decoder_[i], 1 - i);
    room(down_[static_cast<std::size_t>(i)].scratch(width >> i));
    room(up_[static_cast<std::size_t>(i)].scratch(width >> (2 - i)));
  }
  blocks(bottleneck_, 2);
  team_.prepare(threads, own + 4 * kLine, shared);
}

std::size_t CstNetwork::planned_bytes() const {
  std::size_t bytes = base_.bytes() + team_.bytes();
  for (int i = 0; i < 2; ++i) bytes += full_[i].bytes() + half_[i].bytes() + quarter_[i].bytes();
  for (const Plane& m : masks_) bytes += m.values.size() * sizeof(float);
  return bytes;
}

std::size_t CstNetwork::bytes_for(int height, int width) const {
  const auto map = [&](int channels, int divisor) {
    return static_cast<std::size_t>(channels) * pitch_of(width / divisor) * static_cast<std::size_t>(height / divisor);
  };
  const int c = config_.bands;
  const std::size_t floats = 3 * map(c, 1) + map(1, 1) + 2 * map(2 * c, 2) + 2 * map(4 * c, 4) +
                             2 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  return floats * sizeof(float) + (std::size_t{16} << 20);
}

/// X = fution(h, mask).
void CstNetwork::fuse(const Frame& frame, const Tile& tile) {
  const Map& x = base_.view();
  team_.rows(x.height, [&](int y, Workspace& own) {
    const Workspace::Scope scope(own);
    float* input = own.take(static_cast<std::size_t>(fution_.depth) * x.pitch);
    own.times.measure(Kernel::resample, [&] {
      frame.read_row(tile.top + y, tile.left, x.width, input, x.pitch);
      if (config_.mask_input) {
        frame.read_mask_row(tile.top + y, tile.left, x.width,
                            input + static_cast<std::size_t>(config_.bands) * x.pitch);
      }
    });
    kernels::RowProduct p = fution_.product();
    const float* tap = input;
    p.taps = &tap;
    p.pitch = x.pitch;
    p.pixels = x.pixels();
    p.out = x.row(y);
    p.out_pitch = x.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
  });
}

EstimatorMaps CstNetwork::estimator_maps() const {
  return {full_[1].view(), {half_[0].view(), half_[1].view()}, {quarter_[0].view(), quarter_[1].view()}};
}

/// The shallow feature X₀, and the error map behind it, in full_[0].
void CstNetwork::estimate() {
  const Map& out = full_[0].view();
  if (estimators_.empty()) {
    const Map& x = base_.view();
    team_.rows(x.height, [&](int y, Workspace&) { std::copy_n(x.row(y), x.row_step, out.row(y)); });
    return;
  }
  Map in = base_.view();
  for (std::size_t i = 0; i < estimators_.size(); ++i) {
    clock_.timed([&] { return estimators_.size() == 1 ? std::string("fe") : fmt::format("fe.{}", i); },
                 [&] {
                   estimators_[i].run(in, estimator_maps(), out.first_channels(estimators_[i].outputs()), pooled_[i],
                                      team_);
                 });
    in = out.first_channels(config_.bands);
  }
}

void CstNetwork::take_error_map() {
  if (!config_.has_error_map()) return;
  const Map& from = full_[0].view();
  team_.rows(from.height, [&](int y, Workspace&) {
    std::copy_n(from.row(y) + static_cast<std::size_t>(config_.bands) * from.pitch, from.pixels(), masks_[0].row(y));
  });
  pool(masks_[0], masks_[1]);
  pool(masks_[1], masks_[2]);
}

CstNetwork::PingPong CstNetwork::run_blocks(const std::vector<Sahab>& blocks, const char* name, int stage,
                                            PingPong maps, const Tile& tile) {
  for (std::size_t j = 0; j < blocks.size(); ++j, ++block_) {
    const Sahab& block = blocks[j];
    if (block.attention) {
      std::vector<int>& windows = windows_[block_];
      clock_.timed([&] { return fmt::format("{}.blocks.{}.attn", name, j); },
                   [&] {
                     if (tile.windows) {
                       windows = (*tile.windows)[block_];
                     } else {
                       kept_windows(config_, masks_[stage], maps.current.height, maps.current.width, block.shift,
                                    scores_, windows);
                     }
                     block.attention->run(maps.current, windows, block.shift, team_);
                   });
    }
    clock_.timed([&] { return fmt::format("{}.blocks.{}.ffn", name, j); },
                 [&] { block.feed_forward.run(maps.current, &maps.current, maps.other, team_); });
    std::swap(maps.current, maps.other);
  }
  return maps;
}

/// X' = out_proj(feature) + X.
void CstNetwork::project(const Map& feature, const CubeView& out) {
  const Map& x = base_.view();
  team_.rows(std::min(out.height(), x.height), [&](int y, Workspace& own) {
    kernels::RowProduct p;
    p.residual = x.row(y);
    p.residual_pitch = x.pitch;
    p.out = out.row(0, y);
    p.out_pitch = static_cast<std::size_t>(out.band_stride());
    convolve_3x3_row(out_proj_, feature, y, 1, p, own, std::min(out.width(), x.width));
  });
}

void CstNetwork::run_to_means(const Frame& frame, const Tile& tile, int estimator) {
  fuse(frame, tile);
  Map in = base_.view();
  const Map& out = full_[0].view();
  for (int i = 0; i < estimator; ++i) {
    const auto e = static_cast<std::size_t>(i);
    estimators_[e].run(in, estimator_maps(), out.first_channels(estimators_[e].outputs()), pooled_[e], team_);
    in = out.first_channels(config_.bands);
  }
  const auto last = static_cast<std::size_t>(estimator);
  estimators_[last].run_to_means(in, estimator_maps(), pooled_[last], team_);
}

void CstNetwork::run_estimators(const Frame& frame, const Tile& tile) {
  fuse(frame, tile);
  estimate();
  take_error_map();
}

void CstNetwork::run(const Frame& frame, const Tile& tile, const CubeView& out) {
  clock_.start(team_);
  block_ = 0;
  clock_.timed([] { return "fution"; }, [&] { fuse(frame, tile); });
  estimate();
  clock_.timed([] { return "error map"; }, [&] { take_error_map(); });
  PingPong full{full_[0].view().first_channels(config_.bands), full_[1].view()};
  full = run_blocks(encoder_[0], "encoder_layers.0.0", 0, full, tile);
  clock_.timed([] { return "encoder_layers.0.1"; }, [&] { down_[0].run(full.current, half_[0].view(), team_); });
  PingPong half{half_[0].view(), half_[1].view()};
  half = run_blocks(encoder_[1], "encoder_layers.1.0", 1, half, tile);
  clock_.timed([] { return "encoder_layers.1.1"; }, [&] { down_[1].run(half.current, quarter_[0].view(), team_); });
  PingPong quarter{quarter_[0].view(), quarter_[1].view()};
  quarter = run_blocks(bottleneck_, "bottleneck", 2, quarter, tile);
  clock_.timed([] { return "decoder_layers.0.0"; },
               [&] { up_[0].run(quarter.current, &half.current, half.current, team_); });
  half = run_blocks(decoder_[0], "decoder_layers.0.1", 1, half, tile);
  clock_.timed([] { return "decoder_layers.1.0"; },
               [&] { up_[1].run(half.current, &full.current, full.current, team_); });
  full = run_blocks(decoder_[1], "decoder_layers.1.1", 0, full, tile);
  clock_.timed([] { return "out_proj"; }, [&] { project(full.current, out); });
  clock_.finish(team_);
}

}  // namespace snapcube::engine
