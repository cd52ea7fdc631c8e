#include "engine/prism_network.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/frame.h"
#include "models/prism_form.h"

namespace snapcube::engine {

namespace {

/// Below this part of the mean, a detector pixel has nothing to share.
constexpr double kDarkShare = 1e-3;

/// Maps are multiples of this at full resolution.
constexpr int kUnit = 1 << (kPrismLevels - 1);

int up(int n) { return (n + kUnit - 1) / kUnit * kUnit; }

std::vector<PrismBlock> make_blocks(const TensorsOf& tensors, int count) {
  std::vector<PrismBlock> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back({WinogradConvolution(tensors(fmt::format("{}.0.weight", i))),
                      WinogradConvolution(tensors(fmt::format("{}.1.weight", i)))});
  }
  return blocks;
}

kernels::RowProduct onto(const Packed& weights, const float* const* tap, std::size_t pitch, int pixels, float* out,
                         std::size_t out_pitch) {
  kernels::RowProduct p = weights.product();
  p.taps = tap;
  p.pitch = pitch;
  p.pixels = static_cast<std::size_t>(pixels);
  p.out = out;
  p.out_pitch = out_pitch;
  return p;
}

/// s shifted back to each band, or to one mask of each: to[b][i] = m(b, i)·s[i + o_b].
void shift_back_row(const Dispersion& dispersion, const float* s, float* to, std::size_t pitch) {
  const int n = dispersion.width();
  for (std::size_t b = 0; b < dispersion.places().size(); ++b, to += pitch) {
    const auto [whole, fraction] = dispersion.places()[b];
    const float* at = s + whole;
    if (fraction == 0) {
      std::copy_n(at, n, to);
    } else {
      for (int i = 0; i < n; ++i) to[i] = (1 - fraction) * at[i] + fraction * at[i + 1];
    }
  }
}

float softplus(float v) { return v > 20 ? v : std::log1p(std::exp(v)); }

}  // namespace

PrismStage::PrismStage(const TensorsOf& t, int input_count)
    : inputs(input_count),
      eta(t("eta").values.at(0)),
      mu(std::exp(t("mu").values.at(0))),
      input(pack(t("input.weight"))),
      output(t("output.weight")) {
  for (int l = 0; l < kPrismLevels; ++l) {
    down.push_back(make_blocks(t.below(fmt::format("down.{}.", l)), kPrismBlocksDown[static_cast<std::size_t>(l)]));
    if (l + 1 == kPrismLevels) break;
    halve.emplace_back(t(fmt::format("halve.{}.weight", l)));
    twice.emplace_back(t(fmt::format("double.{}.weight", l)), t(fmt::format("double.{}.bias", l)));
    up.push_back(make_blocks(t.below(fmt::format("up.{}.", l)), kPrismBlocksUp[static_cast<std::size_t>(l)]));
  }
}

PrismNetwork::PrismNetwork(const Weights& weights) : config_(weights.config) {
  const TensorsOf all(weights);
  const int stages = find_prism_form(config_.variant)->stages;
  for (int i = 0; i < stages; ++i) {
    stages_.emplace_back(all.below(fmt::format("stages.{}.", i)), i == 0 ? kPrismFirstInputs : kPrismInputs);
  }
  error_ = pack(all("error.weight"));
  error_bias_ = all("error.bias").values.at(0);
}

std::size_t PrismNetwork::scratch(int width, int detector_width, int bands) const {
  const std::size_t pitch = pitch_of(width);
  const auto detector = static_cast<std::size_t>(detector_width) + kLine;
  std::size_t floats =
      2 * detector + static_cast<std::size_t>(kPrismInputs * config_.bands + bands) * pitch + 4 * kLine;
  for (const PrismStage& stage : stages_) {
    floats = std::max(floats, stage.output.scratch(width));
    for (int l = 0; l < kPrismLevels; ++l) {
      for (const auto* blocks : {&stage.down, &stage.up}) {
        if (static_cast<std::size_t>(l) >= blocks->size()) continue;
        for (const PrismBlock& block : (*blocks)[static_cast<std::size_t>(l)]) {
          floats = std::max({floats, block.inner.scratch(width >> l), block.outer.scratch(width >> l)});
        }
      }
    }
    for (int l = 0; l + 1 < kPrismLevels; ++l) {
      const auto i = static_cast<std::size_t>(l);
      floats = std::max({floats, stage.halve[i].scratch(width >> l), stage.twice[i].scratch(width >> (l + 1))});
    }
  }
  return floats + 8 * kLine;
}

std::size_t PrismNetwork::bytes_for(int rows, int width, int bands) const {
  const auto floats = [](int channels, int height, int columns) {
    return kLine + static_cast<std::size_t>(channels) * pitch_of(columns) * static_cast<std::size_t>(height);
  };
  std::size_t sum = floats(bands, up(rows), up(width));
  for (int l = 0; l < kPrismLevels; ++l) sum += 2 * floats(config_.channels(l), up(rows) >> l, up(width) >> l);
  return sum * sizeof(float) + (std::size_t{8} << 20);
}

std::size_t PrismNetwork::planned_bytes() const {
  std::size_t bytes = cube_.bytes() + team_.bytes();
  for (const auto& level : levels_) bytes += level[0].bytes() + level[1].bytes();
  return bytes;
}

void PrismNetwork::prepare(const CanonicalCapture& capture, int rows, int threads) {
  if (grid_positions_ != capture.positions()) {
    grid_positions_ = capture.positions();
    grid_ = band_grid(grid_positions_, config_.bands);
    to_channels_ = pack(grid_.to_channels.data(), grid_.channels, grid_.bands);
    to_bands_ = pack(grid_.to_bands.data(), grid_.bands, grid_.channels);
  }
  const int height = up(rows);
  const int width = up(capture.width());
  if (planned_rows_ != height || planned_width_ != width || planned_bands_ != capture.bands()) {
    planned_rows_ = 0;
    cube_ = {};
    cube_ = MapStorage(capture.bands(), height, width);
    for (int l = 0; l < kPrismLevels; ++l) {
      for (MapStorage& map : levels_[l]) {
        map = {};
        map = MapStorage(config_.channels(l), height >> l, width >> l);
      }
    }
    planned_rows_ = height;
    planned_width_ = width;
    planned_bands_ = capture.bands();
  }
  team_.prepare(threads, scratch(width, capture.detector_width(), capture.bands()), 0);
}

/// x = the smeared measurement.
void PrismNetwork::begin(const CanonicalCapture& capture, int first, int rows) {
  const Map& x = cube_.view();
  team_.rows(rows, [&](int y, Workspace& own) {
    own.times.measure(Kernel::resample,
                      [&] { shift_back_row(capture.dispersion(), capture.level(first + y), x.row(y), x.pitch); });
  });
}

// The data step in place, and the 1×1 convolution of all that the denoiser sees, a row at a time.
void PrismNetwork::enter(const PrismStage& stage, const CanonicalCapture& capture, int first, int rows) {
  const Map& x = cube_.view();
  const Map& feature = levels_[0][0].view();
  const Dispersion& dispersion = capture.dispersion();
  const int width = capture.width();
  const int count = capture.detector_width();
  const std::size_t pitch = x.pitch;
  const std::size_t map = static_cast<std::size_t>(config_.bands) * pitch;
  const float mu = static_cast<float>(static_cast<double>(stage.mu) * capture.scale());
  const float least = static_cast<float>(kDarkShare * capture.scale());
  const float share = 0.5f * static_cast<float>(capture.bands());
  team_.rows(rows, [&](int y, Workspace& own) {
    const Workspace::Scope scope(own);
    const ConstRow masks = capture.masks(first + y);
    const float* roots = capture.roots(first + y);
    const float* diagonal = capture.diagonal(first + y);
    float* detector = own.take(static_cast<std::size_t>(count) + kLine);
    float* solving = own.take(static_cast<std::size_t>(count) + kLine);
    float* inputs = own.take(static_cast<std::size_t>(stage.inputs) * map);
    float* bands = own.take(static_cast<std::size_t>(capture.bands()) * pitch);
    // from: bands of the camera, pitch apart; to: the network's channels.
    const auto resample = [&](const float* from, float* to) {
      if (grid_.is_identity) {
        std::copy_n(from, map, to);
      } else {
        kernels::row_product(onto(to_channels_, &from, pitch, width, to, pitch));
      }
    };
    const auto place = [&](int i) { return inputs + static_cast<std::size_t>(i) * map; };
    const bool later = stage.inputs == kPrismInputs;
    own.times.measure(Kernel::project, [&] {
      if (later) resample(x.row(y), place(1));
      project_row(dispersion, {x.row(y), pitch}, masks, detector);
      const float* measured = capture.measurement(first + y);
      for (int i = 0; i < count; ++i) detector[i] = measured[i] - detector[i];
      if (roots) {
        for (int i = 0; i < count; ++i) detector[i] *= roots[i];
      }
      solve_row(diagonal, capture.next(first + y), mu, detector, count, detector, solving);
      if (roots) {
        for (int i = 0; i < count; ++i) detector[i] *= roots[i];
      }
      back_project_row(dispersion, detector, masks, stage.eta, {x.row(y), pitch}, {x.row(y), pitch});
      resample(x.row(y), place(0));
    });
    own.times.measure(Kernel::resample, [&] {
      if (later) std::copy_n(feature.row(y), map, place(2));
      float* shares = place(later ? 3 : 1);
      for (int i = 0; i < count; ++i) solving[i] = diagonal[i] > least ? share / diagonal[i] : 0.0f;
      shift_back_row(dispersion, solving, bands, pitch);
      for (std::size_t b = 0; b < dispersion.places().size(); ++b) {
        const float* mask = masks.band(b);
        float* to = bands + b * pitch;
        for (int i = 0; i < width; ++i) to[i] *= mask[i] * mask[i];
      }
      resample(bands, shares);
      shift_back_row(dispersion, capture.level(first + y), bands, pitch);
      resample(bands, shares + map);
    });
    const float* tap = inputs;
    own.times.measure(Kernel::convolve, [&] {
      kernels::row_product(onto(stage.input, &tap, pitch, width, feature.row(y), feature.pitch));
    });
  });
  reflect_edges(feature, rows, width);
}

/// What the denoiser sees beyond the frame.
void PrismNetwork::reflect_edges(const Map& map, int rows, int width) {
  for (int y = 0; y < map.height; ++y) {
    const float* from = map.row(reflected(y, rows));
    for (int c = 0; c < map.channels; ++c) {
      const float* source = from + static_cast<std::size_t>(c) * map.pitch;
      float* to = map.row(y) + static_cast<std::size_t>(c) * map.pitch;
      if (y >= rows) std::copy_n(source, width, to);
      for (int i = width; i < map.width; ++i) to[i] = to[reflected(i, width)];
    }
  }
}

void PrismNetwork::run_blocks(const std::vector<PrismBlock>& blocks, const Map& map, const Map& other) {
  for (const PrismBlock& block : blocks) {
    block.inner.run(map, WinogradConvolution::After::gelu, nullptr, other, team_);
    block.outer.run(other, WinogradConvolution::After::nothing, &map, map, team_);
  }
}

/// x += the denoiser's change, at the camera's bands.
void PrismNetwork::leave(const PrismStage& stage) {
  const Map& x = cube_.view();
  const Map& feature = levels_[0][0].view();
  if (grid_.is_identity) return stage.output.run(feature, WinogradConvolution::After::nothing, &x, x, team_);
  const Map& change = levels_[0][1].view();
  stage.output.run(feature, WinogradConvolution::After::nothing, nullptr, change, team_);
  team_.rows(x.height, [&](int y, Workspace&) {
    const float* tap = change.row(y);
    kernels::RowProduct back = onto(to_bands_, &tap, change.pitch, x.width, x.row(y), x.pitch);
    back.residual = x.row(y);
    back.residual_pitch = x.pitch;
    kernels::row_product(back);
  });
}

void PrismNetwork::put(const CanonicalCapture& capture, int first, int keep_first, int keep_last, const CubeView& out,
                       Image* error) {
  const Map& x = cube_.view();
  const Map& feature = levels_[0][0].view();
  const auto brightness = static_cast<float>(capture.brightness());
  const int width = capture.width();
  team_.rows(keep_last - keep_first, [&](int i, Workspace& own) {
    const Workspace::Scope scope(own);
    const int y = keep_first - first + i;
    float* line = own.take(x.pitch);
    for (int b = 0; b < x.channels; ++b) {
      const float* from = x.row(y) + static_cast<std::size_t>(b) * x.pitch;
      for (int k = 0; k < width; ++k) line[k] = from[k] * brightness;
      capture.put(b, first + y, line, out);
    }
    if (!error) return;
    const float* tap = feature.row(y);
    kernels::row_product(onto(error_, &tap, feature.pitch, width, line, x.pitch));
    for (int k = 0; k < width; ++k) line[k] = softplus(line[k] + error_bias_) * brightness;
    capture.put(first + y, line, *error);
  });
}

void PrismNetwork::run_slab(const CanonicalCapture& capture, int first, int rows, int keep_first, int keep_last,
                            const CubeView& out, Image* error) {
  begin(capture, first, rows);
  const auto map = [&](int level, int i) { return levels_[level][i].view(); };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const PrismStage& stage = stages_[i];
    const auto timed = [&](const char* part, const auto& f) {
      clock_.timed([&] { return fmt::format("stages.{}.{}", i, part); }, f);
    };
    timed("data", [&] { enter(stage, capture, first, rows); });
    for (int l = 0; l < kPrismLevels; ++l) {
      const auto at = static_cast<std::size_t>(l);
      timed("down", [&] {
        run_blocks(stage.down[at], map(l, 0), map(l, 1));
        if (l + 1 < kPrismLevels) stage.halve[at].run(map(l, 0), map(l + 1, 0), team_);
      });
    }
    for (int l = kPrismLevels - 2; l >= 0; --l) {
      const auto at = static_cast<std::size_t>(l);
      timed("up", [&] {
        const Map skip = map(l, 0);
        stage.twice[at].run(map(l + 1, 0), &skip, skip, team_);
        run_blocks(stage.up[at], skip, map(l, 1));
      });
    }
    timed("output", [&] { leave(stage); });
  }
  put(capture, first, keep_first, keep_last, out, error);
}

void PrismNetwork::run(const CanonicalCapture& capture, int threads, int most_rows, const CubeView& out, Image* error) {
  const int height = capture.height();
  const bool whole = height <= std::max(most_rows, kOverlap + kUnit);
  const int rows = whole ? height : std::max(most_rows / kUnit * kUnit, kOverlap + kUnit);
  const int step = rows - kOverlap;
  const int slabs = whole ? 1 : (height - kOverlap + step - 1) / step;
  constexpr int kLayersOfStage = 2 * kPrismLevels + 1;
  clock_.set_layers(slabs * static_cast<int>(stages_.size()) * kLayersOfStage);
  prepare(capture, rows, threads);
  clock_.start(team_);
  int done = 0;
  for (int s = 0; s < slabs; ++s) {
    const bool last = s + 1 == slabs;
    // Slabs begin at multiples of what halving asks for; the last one ends with the frame.
    const int first = last ? up(height - rows) : s * step;
    const int end = std::min(height, first + rows);
    const int keep_last = last ? height : end - kOverlap / 2;
    run_slab(capture, first, end - first, done, keep_last, out, error);
    done = keep_last;
  }
  clock_.finish(team_);
}

}  // namespace snapcube::engine
