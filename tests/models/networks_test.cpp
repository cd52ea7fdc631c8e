// The other networks: names and shapes of their tensors as published, parameters and cost as counted elsewhere.

#include "models/networks.h"

#include <fstream>
#include <set>
#include <sstream>

#include <snapcube/error.h>

#include "models/inference.h"
#include "support.h"

namespace snapcube {
namespace {

using Kind = NetworkTensor::Kind;

struct Published {
  const char* name;
  const char* file;
  std::int64_t parameters;
  double cost;  ///< 10⁹ multiply-adds for a frame of 256×256
};
constexpr Published kPublished[] = {{"mst-s", "mst_s", 922'648, 12.23},
                                    {"mst-m", "mst_m", 1'487'592, 17.32},
                                    {"mst-l", "mst_l", 2'018'156, 27.34},
                                    {"hdnet", "hdnet", 2'367'400, 154.74},
                                    {"tsa-net", "tsa_net", 44'250'500, 98.10},
                                    {"dgsmp", "dgsmp", 3'756'680, 646.35},
                                    {"lambda-net", "lambda_net", 32'726'967, 32.17}};

/// "parameter fe.weight 28 28 3 3": kind, name, shape.
std::set<std::string> published_lines(const std::string& file) {
  std::ifstream in(testing::data_file("golden/zoo/" + file + ".txt"));
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.ends_with(".num_batches_tracked")) lines.insert(line);
  }
  return lines;
}

TEST(Networks, TensorsAreThosePublished) {
  for (const Published& p : kPublished) {
    std::set<std::string> lines;
    for (const NetworkTensor& tensor : network_tensors(network_config(p.name))) {
      std::ostringstream line;
      line << (tensor.kind == Kind::trained     ? "parameter"
               : tensor.kind == Kind::statistic ? "buffer"
                                                : "constant")
           << ' ' << tensor.shape.name;
      for (const std::int64_t n : tensor.shape.shape) line << ' ' << n;
      lines.insert(line.str());
    }
    EXPECT_EQ(lines, published_lines(p.file)) << p.name;
  }
}

TEST(Networks, ParametersAndCostAreThosePublished) {
  for (const Published& p : kPublished) {
    const LayerCost sum = total(network_cost(network_config(p.name), 256, 256));
    EXPECT_EQ(sum.parameters, p.parameters) << p.name;
    EXPECT_NEAR(sum.multiply_adds / 1e9, p.cost, 0.005) << p.name;
  }
  // PnP-DIP's network is known by its counts alone: 33.85 M and 64.42 G.
  const LayerCost dip = total(network_cost(network_config("dip-hsi"), 256, 256));
  EXPECT_NEAR(static_cast<double>(dip.parameters) / 1e6, 33.85, 0.005);
  EXPECT_NEAR(dip.counted_by_paper / 1e9, 64.42, 0.005);
}

TEST(Networks, AreRecognisedByTheirTensors) {
  for (const NetworkInfo& network : other_networks()) {
    for (const int bands : {28, 9}) {
      ModelConfig config = network_config(network.name);
      config.bands = bands;
      if (bands != 28) config.wavelengths.clear();
      std::vector<ParameterShape> shapes;
      for (const NetworkTensor& tensor : network_tensors(config)) {
        if (tensor.kind != Kind::constant) shapes.push_back(tensor.shape);
      }
      EXPECT_EQ(infer_config(shapes, {}, "w").config, config) << network.name;
      shapes.push_back({"surplus", {1}});
      EXPECT_THROW(infer_config(shapes, {}, "w"), InputError) << network.name;
    }
  }
}

TEST(Networks, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    network_config("mst-xl");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cst-s, "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("mst-s"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace snapcube
