// The engine against what the published implementation computes.

#include "engine/cst_network.h"
#include "golden_weights.h"

namespace snapcube::engine {
namespace {

using testing::golden_array;
using testing::golden_module;
using testing::GoldenArray;

constexpr std::size_t kRoom = std::size_t{8} << 20;

Team make_team() {
  Team team;
  team.prepare(2, kRoom, 0);
  return team;
}

/// [H, W, C] → map.
MapStorage map_of(const GoldenArray& a) {
  MapStorage storage(static_cast<int>(a.shape[2]), static_cast<int>(a.shape[0]), static_cast<int>(a.shape[1]));
  const Map& m = storage.view();
  for (int y = 0; y < m.height; ++y) {
    for (int x = 0; x < m.width; ++x) {
      for (int c = 0; c < m.channels; ++c) m.row(y)[static_cast<std::size_t>(c) * m.pitch + x] = a(y, x, c);
    }
  }
  return storage;
}

float at(const Map& m, std::int64_t y, std::int64_t x, std::int64_t c) {
  return m.row(static_cast<int>(y))[static_cast<std::size_t>(c) * m.pitch + static_cast<std::size_t>(x)];
}

TEST(EngineGolden, SahMsa) {
  Team team = make_team();
  for (int stage = 0; stage < 3; ++stage) {
    const std::string file = "sah_msa_c" + std::to_string(28 << stage) + "_h" + std::to_string(1 << stage);
    const ModelConfig config = cst_variant("cst-s");
    const std::string prefix = stage == 0   ? "encoder_layers.0.0.blocks.0.attn.fn."
                               : stage == 1 ? "encoder_layers.1.0.blocks.0.attn.fn."
                                            : "bottleneck.blocks.0.attn.fn.";
    const Weights weights = golden_module(config, prefix);
    const SahAttention attention(config, stage, TensorsOf(weights, "m."), nullptr);
    const GoldenArray x = golden_array(file, "x");  // [windows, 256, C]
    const GoldenArray wanted = golden_array(file, "out");
    const auto windows = static_cast<int>(x.shape[0]);
    const auto channels = static_cast<int>(x.shape[2]);
    MapStorage storage(channels, 16 * windows, 16);
    const Map& m = storage.view();
    std::vector<int> all;
    for (int w = 0; w < windows; ++w) {
      all.push_back(w);
      for (int t = 0; t < 256; ++t) {
        for (int c = 0; c < channels; ++c) {
          m.row(16 * w + t / 16)[static_cast<std::size_t>(c) * m.pitch + static_cast<std::size_t>(t % 16)] = x(w, t, c);
        }
      }
    }
    attention.run(m, all, 0, team);
    double worst = 0;
    for (int w = 0; w < windows; ++w) {
      for (int t = 0; t < 256; ++t) {
        for (int c = 0; c < channels; ++c) {
          const double found = at(m, 16 * w + t / 16, t % 16, c) - x(w, t, c);
          worst = std::max(worst, std::fabs(found - wanted(w, t, c)));
        }
      }
    }
    EXPECT_LT(worst, 1e-4) << file;
  }
}

TEST(EngineGolden, Sahab) {
  struct Case {
    const char* file;
    const char* variant;
    int stage;
    bool shifted;
  };
  Team team = make_team();
  for (const Case& c :
       {Case{"sahab_c28_h1_shift0_sparse", "cst-s", 0, false}, Case{"sahab_c28_h1_shift8_sparse", "cst-s", 0, true},
        Case{"sahab_c56_h2_shift8_sparse", "cst-s", 1, true},
        Case{"sahab_c112_h4_shift0_dense", "cst-l-star", 2, false}}) {
    const ModelConfig config = cst_variant(c.variant);
    const Weights weights = golden_module(config, c.stage == 0   ? "encoder_layers.0.0.blocks.0."
                                                  : c.stage == 1 ? "encoder_layers.1.0.blocks.0."
                                                                 : "bottleneck.blocks.0.");
    const Sahab block(config, c.stage, c.shifted, TensorsOf(weights, "m."));
    const MapStorage in = map_of(golden_array(c.file, "x"));
    MapStorage out(in.view().channels, in.view().height, in.view().width);
    const GoldenArray mask = golden_array(c.file, "mask");
    Plane plane(static_cast<int>(mask.shape[0]), static_cast<int>(mask.shape[1]));
    std::copy(mask.values.begin(), mask.values.end(), plane.values.begin());
    WindowScores room;
    std::vector<int> kept;
    kept_windows(config, plane, plane.height, plane.width, block.shift, room, kept);
    block.attention->run(in.view(), kept, block.shift, team);
    block.feed_forward.run(in.view(), &in.view(), out.view(), team);
    const GoldenArray wanted = golden_array(c.file, "out_every_4th");
    double worst = 0;
    for (std::int64_t y = 0; y < wanted.shape[0]; ++y) {
      for (std::int64_t x = 0; x < wanted.shape[1]; ++x) {
        for (std::int64_t k = 0; k < wanted.shape[2]; ++k) {
          worst = std::max<double>(worst, std::fabs(at(out.view(), 4 * y, 4 * x, k) - wanted(y, x, k)));
        }
      }
    }
    EXPECT_LT(worst, 1e-4) << c.file;
  }
}

TEST(EngineGolden, FeedForward) {
  Team team = make_team();
  const Weights weights = golden_module(cst_variant("cst-s"), "encoder_layers.0.0.blocks.0.ffn.");
  const TensorsOf t(weights, "m.");
  const Expansion layer(t("norm.weight"), t("norm.bias"), t("fn.net.0.weight"), t("fn.net.2.weight"),
                        t("fn.net.4.weight"));
  const MapStorage in = map_of(golden_array("ffn_c28", "x"));
  MapStorage out(28, in.view().height, in.view().width);
  layer.run(in.view(), nullptr, out.view(), team);
  const GoldenArray wanted = golden_array("ffn_c28", "out");
  double worst = 0;
  for (std::int64_t y = 0; y < wanted.shape[0]; ++y) {
    for (std::int64_t x = 0; x < wanted.shape[1]; ++x) {
      for (std::int64_t k = 0; k < 28; ++k) {
        worst = std::max<double>(worst, std::fabs(at(out.view(), y, x, k) - wanted(y, x, k)));
      }
    }
  }
  EXPECT_LT(worst, 1e-4);
}

TEST(EngineGolden, Estimator) {
  Team team = make_team();
  for (const bool sparse : {true, false}) {
    const std::string file = sparse ? "estimator_sparse" : "estimator_dense";
    const Weights weights = golden_module(cst_variant(sparse ? "cst-s" : "cst-l-star"), sparse ? "fe." : "fe.1.");
    const Estimator estimator(28, TensorsOf(weights, "m."));
    const GoldenArray x = golden_array(file, "x");  // [28, H, W]
    const auto height = static_cast<int>(x.shape[1]);
    const auto width = static_cast<int>(x.shape[2]);
    MapStorage in(28, height, width), out(estimator.outputs(), height, width), full(28, height, width);
    MapStorage half[2] = {{56, height / 2, width / 2}, {56, height / 2, width / 2}};
    MapStorage quarter[2] = {{112, height / 4, width / 4}, {112, height / 4, width / 4}};
    for (int c = 0; c < 28; ++c) {
      for (int y = 0; y < height; ++y) {
        for (int p = 0; p < width; ++p)
          in.view().row(y)[static_cast<std::size_t>(c) * in.view().pitch + p] = x(c, y, p);
      }
    }
    PooledView pooled;
    estimator.run(in.view(), {full.view(), {half[0].view(), half[1].view()}, {quarter[0].view(), quarter[1].view()}},
                  out.view(), pooled, team);
    const GoldenArray feature = golden_array(file, "feature_every_4th");
    double worst = 0;
    for (std::int64_t c = 0; c < 28; ++c) {
      for (std::int64_t y = 0; y < feature.shape[1]; ++y) {
        for (std::int64_t p = 0; p < feature.shape[2]; ++p) {
          worst = std::max<double>(worst, std::fabs(at(out.view(), 4 * y, 4 * p, c) - feature(c, y, p)));
        }
      }
    }
    EXPECT_LT(worst, 1e-4) << file;
    if (!sparse) continue;
    const GoldenArray map = golden_array(file, "error_map_every_4th");
    for (std::int64_t y = 0; y < map.shape[0]; ++y) {
      for (std::int64_t p = 0; p < map.shape[1]; ++p) {
        ASSERT_NEAR(at(out.view(), 4 * y, 4 * p, 28), map(y, p), 1e-4);
      }
    }
  }
}

TEST(EngineGolden, Networks) {
  const std::pair<const char*, const char*> cases[] = {{"cst-s", "cst_s_128x128"},
                                                       {"cst-s", "cst_s_128x192"},
                                                       {"cst-m", "cst_m_128x128"},
                                                       {"cst-l", "cst_l_128x128"},
                                                       {"cst-l-star", "cst_l_plus_128x128"}};
  for (const auto& [variant, file] : cases) {
    CstNetwork network(testing::golden_weights(cst_variant(variant)));
    const GoldenArray y = golden_array(file, "measurement");
    const GoldenArray m = golden_array(file, "mask");
    const auto height = static_cast<int>(m.shape[0]);
    const auto width = static_cast<int>(m.shape[1]);
    Image measurement(height, static_cast<int>(y.shape[1]));
    std::copy(y.values.begin(), y.values.end(), measurement.data());
    Image mask(height, width);
    std::copy(m.values.begin(), m.values.end(), mask.data());
    const Camera camera(mask);
    Cube out(28, height, width);
    network.prepare(height, width, 2);
    network.run(Frame(measurement, camera, MeasurementScale::sum), {0, 0, height, width, nullptr}, out);
    const GoldenArray wanted = golden_array(file, "out_every_8th");
    double worst = 0;
    for (int b = 0; b < 28; ++b) {
      for (int r = 0; r < height; r += 8) {
        for (int c = 0; c < width; c += 8) {
          worst = std::max<double>(worst, std::fabs(out(b, r, c) - wanted(b, r / 8, c / 8)));
        }
      }
    }
    EXPECT_LT(worst, 1e-3) << file;
    if (!network.config().has_error_map()) continue;
    const GoldenArray map = golden_array(file, "error_map_every_8th");
    for (int r = 0; r < height; r += 8) {
      for (int c = 0; c < width; c += 8) ASSERT_NEAR(network.error_map().row(r)[c], map(r / 8, c / 8), 1e-3) << file;
    }
  }
}

}  // namespace
}  // namespace snapcube::engine
