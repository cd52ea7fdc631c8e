// SAH-MSA against its equations, one token after the other in double precision, for options that have no golden files.

#include "engine/sah_attention.h"

#include <cmath>
#include <numeric>

#include "golden_weights.h"

namespace snapcube::engine {
namespace {

using Tokens = std::vector<std::vector<double>>;

Tokens linear(const NamedTensor& w, const Tokens& x) {
  const auto outputs = static_cast<std::size_t>(w.shape[0]);
  const auto inputs = static_cast<std::size_t>(w.shape[1]);
  Tokens y(x.size(), std::vector<double>(outputs));
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) y[t][o] += w.values[o * inputs + i] * x[t][i];
    }
  }
  return y;
}

/// The tokens of one group, already normalised, to SAH-MSA's output.
Tokens sah_msa(const ModelConfig& config, int stage, const TensorsOf& tensors, const Tokens& x) {
  const auto heads = static_cast<std::size_t>(config.heads(stage));
  const auto rounds = static_cast<std::size_t>(config.rounds);
  const auto bucket = static_cast<std::size_t>(config.bucket);
  const std::size_t n = x.size();
  const std::size_t width = x[0].size() / heads;
  const Tokens q = linear(tensors("to_q.weight"), x);
  const Tokens k = linear(tensors("to_k.weight"), x);
  const Tokens v = linear(tensors("to_v.weight"), x);
  const std::size_t d = q[0].size() / heads;
  const FloatBuffer& alpha = tensors("hash_alpha").values;
  const FloatBuffer& beta = tensors("hash_beta").values;
  Tokens mixed(n, std::vector<double>(q[0].size()));
  for (std::size_t h = 0; h < heads; ++h) {
    std::vector<double> square(n);
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t c = 0; c < width; ++c) square[t] += x[t][h * width + c] * x[t][h * width + c];
    }
    const double longest = *std::max_element(square.begin(), square.end());
    Tokens score(n, std::vector<double>(rounds));
    std::vector<Tokens> outputs(rounds, Tokens(n, std::vector<double>(d)));
    for (std::size_t r = 0; r < rounds; ++r) {
      std::vector<double> code(n);
      for (std::size_t t = 0; t < n; ++t) {
        code[t] = beta[r] + std::sqrt(longest - square[t]) * alpha[width * rounds + r];
        for (std::size_t c = 0; c < width; ++c) code[t] += x[t][h * width + c] * alpha[c * rounds + r];
        if (config.hash_floor) code[t] = std::floor(code[t]);
      }
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return code[a] < code[b]; });
      for (std::size_t first = 0; first < n; first += bucket) {
        for (std::size_t i = first; i < first + bucket; ++i) {
          const std::size_t t = order[i];
          double sum = 0;
          for (std::size_t j = first; j < first + bucket; ++j) {
            double logit = 0;
            for (std::size_t c = 0; c < d; ++c) logit += q[t][h * d + c] * k[order[j]][h * d + c];
            if (config.scale_logits) logit /= std::sqrt(static_cast<double>(d));
            const double weight = std::exp(logit);
            sum += weight;
            for (std::size_t c = 0; c < d; ++c) outputs[r][t][c] += weight * v[order[j]][h * d + c];
          }
          for (double& o : outputs[r][t]) o /= sum;
          score[t][r] = std::log(sum);
        }
      }
    }
    for (std::size_t t = 0; t < n; ++t) {
      double sum = 0;
      for (const double s : score[t]) sum += std::exp(s);
      for (std::size_t r = 0; r < rounds; ++r) {
        for (std::size_t c = 0; c < d; ++c) mixed[t][h * d + c] += std::exp(score[t][r]) / sum * outputs[r][t][c];
      }
    }
  }
  return linear(tensors("to_out.weight"), mixed);
}

void expect_equations(const ModelConfig& config, int stage, int height, int width, const std::vector<int>& windows,
                      int shift) {
  check(config);
  const std::string prefix =
      stage == 2 ? "bottleneck.blocks.0.attn.fn." : "encoder_layers." + std::to_string(stage) + ".0.blocks.0.attn.fn.";
  const Weights weights = testing::golden_module(config, prefix);
  const TensorsOf tensors(weights, "m.");
  const SahAttention attention(config, stage, tensors, nullptr);
  const int channels = config.channels(stage);
  MapStorage storage(channels, height, width);
  const Map& map = storage.view();
  Random random(7);
  const auto pixel = [&](int y, int x, int c) -> float& {
    return map.row(y % height)[static_cast<std::size_t>(c) * map.pitch + static_cast<std::size_t>(x % width)];
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) pixel(y, x, c) = static_cast<float>(random.uniform(-1, 1));
    }
  }
  const int m = config.window;
  const int across = width / m;
  std::vector<Tokens> groups;
  std::vector<float> before(map.data, map.data + static_cast<std::size_t>(height) * map.row_step);
  for (const int w : windows) {
    if (config.scope == Scope::local || groups.empty()) groups.emplace_back();
    for (int t = 0; t < m * m; ++t) {
      groups.back().emplace_back();
      for (int c = 0; c < channels; ++c) {
        groups.back().back().push_back(pixel(w / across * m + t / m + shift, w % across * m + t % m + shift, c));
      }
    }
  }
  Team team;
  team.prepare(2, attention.scratch(), attention.shared_scratch(static_cast<int>(windows.size())));
  attention.run(map, windows, shift, team);
  // Replaces what should have changed by what it should have become, then everything must be as before.
  std::size_t next = 0;
  double worst = 0;
  for (const Tokens& group : groups) {
    const Tokens wanted = sah_msa(config, stage, tensors, group);
    for (std::size_t t = 0; t < group.size(); ++t, ++next) {
      const auto in_window = static_cast<int>(next % static_cast<std::size_t>(m * m));
      const int w = windows[next / static_cast<std::size_t>(m * m)];
      for (int c = 0; c < channels; ++c) {
        float& found = pixel(w / across * m + in_window / m + shift, w % across * m + in_window % m + shift, c);
        const double value = group[t][static_cast<std::size_t>(c)];
        worst = std::max(worst, std::fabs(found - value - wanted[t][static_cast<std::size_t>(c)]));
        found = static_cast<float>(value);
      }
    }
  }
  EXPECT_LT(worst, 5e-4);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), map.data)) << "something outside the windows changed";
}

ModelConfig small() {
  ModelConfig config;
  config.bands = 12;
  config.window = 8;
  config.bucket = 16;
  return config;
}

TEST(EngineAttention, TwelveBandsAndSmallWindows) {
  for (int stage = 0; stage < 3; ++stage) expect_equations(small(), stage, 24, 32, {0, 3, 5, 11}, 0);
}

TEST(EngineAttention, ShiftedWindowsGoAroundTheEdge) {
  expect_equations(small(), 1, 24, 32, {0, 3, 8, 11}, 4);
  ModelConfig usual;
  usual.bands = 4;
  expect_equations(usual, 0, 32, 48, {2, 4, 5}, 8);
}

TEST(EngineAttention, Options) {
  ModelConfig config = small();
  config.hash_floor = true;
  expect_equations(config, 1, 16, 16, {0, 1, 2, 3}, 0);
  config = small();
  config.scale_logits = true;
  expect_equations(config, 2, 16, 16, {1, 2}, 4);
  config = small();
  config.rounds = 5;
  config.bucket = 4;
  expect_equations(config, 0, 16, 16, {0, 3}, 0);
  config.rounds = 1;
  config.bucket = 64;  // one bucket a window
  expect_equations(config, 0, 16, 16, {0, 3}, 0);
}

TEST(EngineAttention, OddWindowsAndBuckets) {
  ModelConfig config = small();
  config.bands = 3;
  config.window = 6;
  config.bucket = 9;
  expect_equations(config, 1, 18, 12, {0, 2, 5}, 3);
  config.window = 2;
  config.bucket = 2;
  expect_equations(config, 0, 6, 10, {0, 7, 14}, 1);
}

TEST(EngineAttention, GlobalScope) {
  ModelConfig config = small();
  config.scope = Scope::global;
  for (int stage = 0; stage < 3; ++stage) expect_equations(config, stage, 24, 32, {0, 3, 5, 11}, 4);
}

TEST(EngineAttention, ProjectionsThatAreNotFolded) {
  ModelConfig config = small();
  config.bands = 16;
  config.bucket = 4;
  config.rounds = 1;  // few products with keys: q, k and v are the cheaper form at the bottleneck
  expect_equations(config, 2, 16, 16, {0, 2}, 0);
}

}  // namespace
}  // namespace snapcube::engine
