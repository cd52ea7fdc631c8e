// make_model FILE BANDS [VARIANT [golden]]: a network, CST-S unless told, that no training has seen; for tests that
// need any. `golden`: with the weights of the golden files, in place of random ones.

#include <cstdlib>
#include <string_view>

#include "engine/golden_weights.h"
#include "engine/random_weights.h"

int main(int count, char** arguments) {
  const bool golden = count == 5 && std::string_view(arguments[4]) == "golden";
  if (count < 3 || count > 5 || (count == 5 && !golden)) return 2;
  snapcube::ModelConfig config = snapcube::network_config(count >= 4 ? arguments[3] : "cst-s");
  config.bands = std::atoi(arguments[2]);
  config.wavelengths.clear();
  const auto weights = golden ? snapcube::testing::golden_weights(config) : snapcube::engine::random_weights(config, 1);
  snapcube::write_weights(weights, arguments[1]);
}
