// The engine and the reference network, with the same weights on the same frames.
//
// A token whose hash code lies within rounding of its neighbour's at a bucket's edge may change bucket between two
// correct programs, and one such flip shows. So nine of ten frames must agree to 60 dB, and where one does not, the
// reference must be shown to have such a tie in it: it then disagrees with itself when its input changes in the last
// digits.

#include <torch/torch.h>

#include <snapcube/mask.h>
#include <snapcube/scene.h>

#include "engine/cst_network.h"
#include "engine/golden_weights.h"
#include "nets/cst.h"

namespace snapcube {
namespace {

nets::Cst reference(const Weights& weights) {
  const torch::NoGradGuard no_gradient;
  nets::Cst network(weights.config);
  const auto fill = [&](const std::string& name, torch::Tensor tensor) {
    const NamedTensor& from = weights.tensors.at(name);
    std::memcpy(tensor.data_ptr(), from.values.data(), from.values.size() * sizeof(float));
  };
  for (const auto& p : network->named_parameters()) fill(p.key(), p.value());
  for (const auto& b : network->named_buffers()) fill(b.key(), b.value());
  network->eval();
  return network;
}

torch::Tensor tensor_of(const Cube& cube) {
  return torch::from_blob(const_cast<float*>(cube.data()), {1, cube.bands(), cube.height(), cube.width()}).clone();
}

torch::Tensor tensor_of(const Image& image) {
  return torch::from_blob(const_cast<float*>(image.data()), {1, image.height(), image.width()}).clone();
}

double decibels_between(const torch::Tensor& a, const torch::Tensor& b) {
  const double peak = b.abs().max().item<double>();
  return 10 * std::log10(peak * peak / (a - b).square().mean().item<double>());
}

struct Comparison {
  Cube engine;
  torch::Tensor torch;
  double decibels;
};

Comparison compare(engine::CstNetwork& network, nets::Cst& torch_network, const Image& measurement,
                   const Camera& camera) {
  const torch::NoGradGuard no_gradient;
  const ModelConfig& config = network.config();
  const FrameSize size = usable_size(config, camera.height(), camera.width());
  network.prepare(size.height, size.width, 2);
  Comparison result{Cube(config.bands, camera.height(), camera.width()), {}, 0};
  network.run(engine::Frame(measurement, camera, MeasurementScale::sum), {0, 0, size.height, size.width, nullptr},
              result.engine);
  const auto input = tensor_of(camera.shift_back(measurement)) * (2.0 / config.bands);
  result.torch = torch_network->reconstruct(input, tensor_of(camera.mask())).cube;
  result.decibels = decibels_between(tensor_of(result.engine), result.torch);
  return result;
}

/// Whether the reference changes visibly when its input changes by a millionth.
bool has_tie(nets::Cst& network, const torch::Tensor& input, const torch::Tensor& mask, const torch::Tensor& output) {
  const torch::NoGradGuard no_gradient;
  for (int draw = 0; draw < 12; ++draw) {
    torch::manual_seed(draw);
    const auto moved = input * (1 + 1e-6 * torch::randn_like(input));
    if (decibels_between(network->reconstruct(moved, mask).cube, output) < 70) return true;
  }
  return false;
}

TEST(EngineAgreement, TenScenes) {
  for (const char* variant : {"cst-s", "cst-m"}) {
    const Weights weights = testing::golden_weights(cst_variant(variant));
    engine::CstNetwork network(weights);
    auto torch_network = reference(weights);
    int good = 0;
    for (int i = 0; i < 10; ++i) {
      const char* kinds[] = {"still-life", "texture", "chart", "resolution"};
      const auto seed = static_cast<std::uint64_t>(i + 1);
      const Camera camera(random_mask(256, 256, MaskKind::binary, 0.5, seed));
      const Image measurement = camera.forward(make_scene(kinds[i % 4], {.seed = seed}));
      const Comparison c = compare(network, torch_network, measurement, camera);
      std::printf("%s, scene %d: %.1f dB\n", variant, i, c.decibels);
      if (c.decibels >= 60) {
        ++good;
        continue;
      }
      const auto input = tensor_of(camera.shift_back(measurement)) * (2.0 / network.config().bands);
      EXPECT_TRUE(has_tie(torch_network, input, tensor_of(camera.mask()), c.torch)) << variant << ", scene " << i;
    }
    EXPECT_GE(good, 9) << variant;
  }
}

TEST(EngineAgreement, SizesAndOptions) {
  struct Case {
    const char* name;
    void (*change)(ModelConfig&);
    int height;
    int width;
  };
  const Case cases[] = {
      {"any size", [](ModelConfig&) {}, 100, 150},
      {"twelve bands", [](ModelConfig& c) { c.bands = 12; }, 128, 128},
      {"small windows", [](ModelConfig& c) { c.window = 8, c.bucket = 16, c.rounds = 3; }, 64, 96},
      {"floor and scale", [](ModelConfig& c) { c.hash_floor = c.scale_logits = true; }, 128, 128},
      {"no mask", [](ModelConfig& c) { c.mask_input = false; }, 128, 128},
      {"global", [](ModelConfig& c) { c.scope = Scope::global; }, 128, 128},
      {"uniform", [](ModelConfig& c) { c.screening = Screening::uniform; }, 128, 128},
      {"random", [](ModelConfig& c) { c.screening = Screening::random; }, 128, 128},
      {"no attention", [](ModelConfig& c) { c.attention = Attention::none; }, 128, 128},
      {"baseline",
       [](ModelConfig& c) {
         c.attention = Attention::none;
         c.screening = Screening::none;
         c.estimators = 0;
       },
       128, 128},
      {"two estimators",
       [](ModelConfig& c) {
         c.estimators = 2, c.blocks = {1, 2, 3};
       },
       128, 192},
  };
  for (const Case& c : cases) {
    ModelConfig config = cst_variant("cst-s");
    config.wavelengths.clear();
    c.change(config);
    check(config);
    const Weights weights = testing::golden_weights(config);
    engine::CstNetwork network(weights);
    auto torch_network = reference(weights);
    const Camera camera(random_mask(c.height, c.width, MaskKind::binary, 0.5, 1), {.bands = config.bands});
    const Image measurement = camera.forward(testing::random_cube(config.bands, c.height, c.width, 3));
    const Comparison result = compare(network, torch_network, measurement, camera);
    std::printf("%s: %.1f dB\n", c.name, result.decibels);
    // One flip of a bucket in a small frame still leaves this; a mistake does not.
    EXPECT_GE(result.decibels, 45) << c.name;
  }
}

}  // namespace
}  // namespace snapcube
