// make_model FILE BANDS [VARIANT]: a CST network, CST-S unless told, that no training has seen; for tests that need
// any.

#include <cstdlib>

#include "engine/random_weights.h"

int main(int count, char** arguments) {
  if (count < 3 || count > 4) return 2;
  snapcube::ModelConfig config = snapcube::cst_variant(count == 4 ? arguments[3] : "cst-s");
  config.bands = std::atoi(arguments[2]);
  config.wavelengths.clear();
  snapcube::write_weights(snapcube::engine::random_weights(config, 1), arguments[1]);
}
