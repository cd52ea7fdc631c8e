// MST in the engine against libtorch, where no golden values are: other sizes, bands and steps.

#include <torch/torch.h>

#include <snapcube/snapcube.h>

#include "models/networks.h"
#include "nets/network_weights.h"
#include "support.h"
#include "train/network_method.h"

namespace snapcube {
namespace {

TEST(MstAgreement, AnySizeBandsAndStep) {
  struct Case {
    int bands, step, height, width;
  };
  for (const Case& c : {Case{28, 2, 40, 52}, Case{6, 1, 13, 30}, Case{5, 3, 33, 21}, Case{9, 4, 24, 24}}) {
    ModelConfig config = network_config("mst-s");
    config.bands = c.bands;
    config.step = c.step;
    if (c.bands != 28) config.wavelengths.clear();
    torch::manual_seed(7);
    const nets::NetworkPtr network = nets::make_network(config);
    const testing::TemporaryFolder folder;
    write_weights(nets::weights_of(*network), folder / "mst.safetensors");
    const Camera camera(random_mask(c.height, c.width, MaskKind::grey, 0.5, 1), {.bands = c.bands, .step = c.step});
    const Image measurement = camera.forward(testing::random_cube(c.bands, c.height, c.width, 2));
    const Cube fast = Reconstructor::open_model(folder / "mst.safetensors").reconstruct(measurement, camera);
    Cube input = camera.shift_back(measurement);
    for (float& v : input.values()) v *= 2.0f / static_cast<float>(c.bands);
    const Cube slow = run_network(*network, std::move(input), camera.mask(), torch::kCPU);
    double error = 0;
    double size = 0;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      const double d = static_cast<double>(fast.data()[i]) - slow.data()[i];
      error += d * d;
      size += static_cast<double>(slow.data()[i]) * slow.data()[i];
    }
    EXPECT_LT(std::sqrt(error / size), 1e-5) << c.bands << ' ' << c.step << ' ' << c.height << ' ' << c.width;
  }
}

}  // namespace
}  // namespace snapcube
