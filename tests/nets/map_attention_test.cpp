// The attentions that SAH-MSA is compared with, each against a plainly written twin: one token after the other.

#include "nets/map_attention.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <torch/torch.h>

#include "models/cst_parameters.h"
#include "models/networks.h"
#include "nets/cst.h"
#include "support.h"

namespace snapcube::nets {
namespace {

using Row = std::vector<double>;
constexpr int kBands = 3;

ModelConfig config_of(Attention form) {
  ModelConfig config = cst_variant("cst-m");
  config.bands = kBands;
  config.wavelengths = {};
  config.screening = Screening::none;
  config.sparsity = 0;
  config.attention = form;
  config.window = 4;
  config.bucket = 4;
  return config;
}

struct Layer {
  MapAttention attention;
  torch::Tensor x;  ///< [1, 8, 12, C], double

  Layer(Attention form, int stage, bool odd) : attention(make_map_attention(config_of(form), stage, odd)) {
    torch::manual_seed(5);
    const torch::NoGradGuard no_gradient;
    for (auto& p : attention->parameters()) p.copy_(torch::randn_like(p) * 0.7);
    attention->to(torch::kDouble);
    x = torch::randn({1, 8, 12, config_of(form).channels(stage)}, torch::kDouble);
  }
  torch::Tensor weight(const std::string& name) const { return attention->named_parameters()[name]; }
};

Row token(const torch::Tensor& map, int y, int x) {
  const auto values = map[0][y][x].contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

/// W·t, W [outputs, inputs].
Row times(const torch::Tensor& matrix, const Row& t) {
  const auto w = matrix.accessor<double, 2>();
  Row result;
  for (std::int64_t o = 0; o < w.size(0); ++o) {
    double sum = 0;
    for (std::int64_t i = 0; i < w.size(1); ++i) sum += w[o][i] * t[static_cast<std::size_t>(i)];
    result.push_back(sum);
  }
  return result;
}

/// What token `at` of a group becomes, in every head of `width` channels; sees(j): whether it sees token j.
Row attended(const Layer& layer, const std::vector<Row>& group, std::size_t at, std::size_t width,
             const std::function<bool(std::size_t)>& sees) {
  const Row q = times(layer.weight("to_q.weight"), group[at]);
  Row result(q.size());
  for (std::size_t first = 0; first < q.size(); first += width) {
    double sum = 0;
    for (std::size_t j = 0; j < group.size(); ++j) {
      if (!sees(j)) continue;
      const Row k = times(layer.weight("to_k.weight"), group[j]);
      const Row v = times(layer.weight("to_v.weight"), group[j]);
      double dot = 0;
      for (std::size_t c = first; c < first + width; ++c) dot += q[c] * k[c];
      const double e = std::exp(dot / std::sqrt(static_cast<double>(width)));
      sum += e;
      for (std::size_t c = first; c < first + width; ++c) result[c] += e * v[c];
    }
    for (std::size_t c = first; c < first + width; ++c) result[c] /= sum;
  }
  return times(layer.weight("to_out.weight"), result);
}

void expect_equal(const torch::Tensor& map, int y, int x, const Row& wanted) {
  const Row found = token(map, y, x);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t c = 0; c < wanted.size(); ++c) EXPECT_NEAR(found[c], wanted[c], 1e-10) << y << " " << x << " " << c;
}

TEST(MapAttention, GlobalIsAllWithAllOnAReducedMap) {
  Layer layer(Attention::global, 0, false);
  std::vector<Row> group;  // 2 × 3 means of 4 × 4 pixels
  for (int y = 0; y < 8; y += 4) {
    for (int x = 0; x < 12; x += 4) {
      Row mean(kBands, 0.0);
      for (int i = 0; i < 16; ++i) {
        const Row t = token(layer.x, y + i / 4, x + i % 4);
        for (std::size_t c = 0; c < t.size(); ++c) mean[c] += t[c] / 16;
      }
      group.push_back(mean);
    }
  }
  const auto output = layer.attention->forward(layer.x);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 12; ++x) {
      const auto at = static_cast<std::size_t>(y / 4 * 3 + x / 4);
      expect_equal(output, y, x, attended(layer, group, at, kBands, [](std::size_t) { return true; }));
    }
  }
}

TEST(MapAttention, WindowSeesItsWindow) {
  for (const bool odd : {false, true}) {  // in every block
    Layer layer(Attention::window, 1, odd);
    const auto output = layer.attention->forward(layer.x);
    for (int top = 0; top < 8; top += 4) {
      for (int left = 0; left < 12; left += 4) {
        std::vector<Row> group;
        for (int i = 0; i < 16; ++i) group.push_back(token(layer.x, top + i / 4, left + i % 4));
        for (int i = 0; i < 16; ++i) {
          expect_equal(output, top + i / 4, left + i % 4,
                       attended(layer, group, static_cast<std::size_t>(i), kBands, [](std::size_t) { return true; }));
        }
      }
    }
  }
}

TEST(MapAttention, ShiftedWindowsEndAtTheEdge) {
  EXPECT_TRUE(
      torch::equal(Layer(Attention::shifted, 1, false).attention->forward(Layer(Attention::shifted, 1, false).x),
                   Layer(Attention::window, 1, false).attention->forward(Layer(Attention::window, 1, false).x)));
  Layer layer(Attention::shifted, 1, true);
  const auto output = layer.attention->forward(layer.x);
  // Windows start at −2, 2, 6, …: what of a window lies inside of the map sees itself.
  for (int top = -2; top < 8; top += 4) {
    for (int left = -2; left < 12; left += 4) {
      std::vector<Row> group;
      std::vector<std::pair<int, int>> places;
      for (int y = std::max(top, 0); y < std::min(top + 4, 8); ++y) {
        for (int x = std::max(left, 0); x < std::min(left + 4, 12); ++x) {
          group.push_back(token(layer.x, y, x));
          places.emplace_back(y, x);
        }
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        expect_equal(output, places[i].first, places[i].second,
                     attended(layer, group, i, kBands, [](std::size_t) { return true; }));
      }
    }
  }
}

TEST(MapAttention, SpectralMixesChannels) {
  const int stage = 1;
  Layer layer(Attention::spectral, stage, false);
  const ModelConfig config = config_of(Attention::spectral);
  const auto output = layer.attention->forward(layer.x);
  const std::size_t inner = static_cast<std::size_t>(config.inner(stage));
  const std::size_t channels = static_cast<std::size_t>(config.channels(stage));
  constexpr int kHeight = 8;
  constexpr int kWidth = 12;
  std::vector<Row> q;
  std::vector<Row> k;
  std::vector<Row> v;
  for (int i = 0; i < kHeight * kWidth; ++i) {
    const Row t = token(layer.x, i / kWidth, i % kWidth);
    q.push_back(times(layer.weight("to_q.weight"), t));
    k.push_back(times(layer.weight("to_k.weight"), t));
    v.push_back(times(layer.weight("to_v.weight"), t));
  }
  const auto length = [&](const std::vector<Row>& map, std::size_t c) {
    double sum = 0;
    for (const Row& t : map) sum += t[c] * t[c];
    return std::sqrt(sum);
  };
  std::vector<Row> mixed(v.size(), Row(inner));
  for (std::size_t a = 0; a < inner; ++a) {  // a row of the attention: channel a of k and all of q in its head
    const std::size_t head = a / kBands;
    const double rescale = layer.weight("rescale")[static_cast<std::int64_t>(head)].item<double>();
    double sum = 0;
    Row weights;
    for (std::size_t b = head * kBands; b < (head + 1) * kBands; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < q.size(); ++i) dot += k[i][a] * q[i][b];
      weights.push_back(std::exp(rescale * dot / (length(k, a) * length(q, b))));
      sum += weights.back();
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t b = 0; b < kBands; ++b) mixed[i][a] += weights[b] / sum * v[i][head * kBands + b];
    }
  }
  // Two depthwise 3×3 of the tokens with a GELU between, zeros around.
  const auto depthwise = [&](const std::vector<Row>& map, const torch::Tensor& weights) {
    const auto w = weights.accessor<double, 4>();
    std::vector<Row> result(map.size(), Row(channels));
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (std::size_t c = 0; c < channels; ++c) {
          for (int tap = 0; tap < 9; ++tap) {
            const int sy = y + tap / 3 - 1;
            const int sx = x + tap % 3 - 1;
            if (sy < 0 || sy >= kHeight || sx < 0 || sx >= kWidth) continue;
            result[static_cast<std::size_t>(y * kWidth + x)][c] +=
                w[static_cast<std::int64_t>(c)][0][tap / 3][tap % 3] *
                map[static_cast<std::size_t>(sy * kWidth + sx)][c];
          }
        }
      }
    }
    return result;
  };
  std::vector<Row> places;
  for (int i = 0; i < kHeight * kWidth; ++i) places.push_back(token(layer.x, i / kWidth, i % kWidth));
  places = depthwise(places, layer.weight("pos_emb.0.weight"));
  for (Row& t : places) {
    for (double& value : t) value = 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
  }
  places = depthwise(places, layer.weight("pos_emb.2.weight"));
  const auto bias_values = layer.weight("proj.bias");
  const auto bias = bias_values.accessor<double, 1>();
  for (int i = 0; i < kHeight * kWidth; ++i) {
    Row wanted = times(layer.weight("proj.weight"), mixed[static_cast<std::size_t>(i)]);
    for (std::size_t c = 0; c < channels; ++c) {
      wanted[c] += bias[static_cast<std::int64_t>(c)] + places[static_cast<std::size_t>(i)][c];
    }
    expect_equal(output, i / kWidth, i % kWidth, wanted);
  }
}

constexpr std::array kForms = {Attention::global, Attention::window, Attention::shifted, Attention::spectral};

TEST(MapAttention, GradientsAreDifferenceQuotients) {
  for (const Attention form : kForms) {
    Layer layer(form, 0, true);
    const auto wanted = torch::randn(layer.x.sizes(), torch::kDouble);
    const auto loss = [&] { return (layer.attention->forward(layer.x) * wanted).sum(); };
    layer.x.set_requires_grad(true);
    loss().backward();
    auto all = layer.attention->parameters();
    all.push_back(layer.x);
    for (auto& p : all) {
      const torch::NoGradGuard no_gradient;
      const auto direction = torch::randn_like(p);
      const double claimed = (p.grad() * direction).sum().item<double>();
      constexpr double kStep = 1e-5;
      p.add_(direction, kStep);
      const double above = loss().item<double>();
      p.add_(direction, -2 * kStep);
      const double below = loss().item<double>();
      p.add_(direction, kStep);
      EXPECT_NEAR(claimed, (above - below) / (2 * kStep), 1e-5 * (1 + std::abs(claimed))) << text(form);
    }
  }
}

TEST(MapAttention, NetworksHaveTheTensorsOfTheirFile) {
  for (const Attention form : kForms) {
    const ModelConfig config = config_of(form);
    Cst network(config);
    std::map<std::string, std::vector<std::int64_t>> wanted;
    for (const auto& [name, shape] : cst_parameters(config)) wanted[name] = shape;
    std::map<std::string, std::vector<std::int64_t>> found;
    for (const auto& p : network->named_parameters()) found[p.key()] = p.value().sizes().vec();
    EXPECT_EQ(found, wanted) << text(form);
    std::int64_t count = 0;
    for (const auto& p : network->parameters()) count += p.numel();
    EXPECT_EQ(count, total(network_cost(config, 64, 64)).parameters) << text(form);
  }
}

TEST(MapAttention, OnTheKernelsAsWithout) {
  for (const Attention form : kForms) {
    torch::manual_seed(3);
    Cst network(config_of(form));
    const auto x = torch::rand({2, kBands, 32, 48});
    const auto mask = torch::rand({2, 32, 48});
    const auto truth = torch::rand({2, kBands, 32, 48});
    std::vector<std::vector<torch::Tensor>> found;
    for (const bool kernels : {false, true}) {
      network->use_kernels(kernels);
      network->zero_grad();
      torch::manual_seed(11);
      const auto output = network->forward(x, mask);
      network->loss(output, truth, false).backward();
      found.push_back({output.cube});
      for (const auto& p : network->parameters()) found.back().push_back(p.grad().clone());
    }
    for (std::size_t i = 0; i < found[0].size(); ++i) {
      EXPECT_LT((found[0][i] - found[1][i]).norm().item<double>(), 1e-4 * found[0][i].norm().item<double>() + 1e-6)
          << text(form) << " " << i;
    }
  }
}

TEST(MapAttention, AnyFrameSize) {
  const torch::NoGradGuard no_gradient;
  for (const Attention form : kForms) {
    Cst network(config_of(form));
    network->eval();
    const auto cube = network->reconstruct(torch::rand({1, kBands, 17, 35}), torch::rand({1, 17, 35})).cube;
    EXPECT_EQ(cube.sizes(), (std::vector<std::int64_t>{1, kBands, 17, 35})) << text(form);
    EXPECT_TRUE(cube.isfinite().all().item<bool>());
  }
}

}  // namespace
}  // namespace snapcube::nets
