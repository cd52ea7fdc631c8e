#include "engine/profile.h"

namespace snapcube::engine {

const std::array<const char*, kKernels>& kernel_names() {
  static const std::array<const char*, kKernels> names = {
      "gather windows", "LayerNorm",           "hash and sort", "projections",  "bucket attention",    "mix rounds",
      "1×1, first",     "depthwise 3×3 + act", "1×1, second",   "convolutions", "resample and copies",
  };
  return names;
}

}  // namespace snapcube::engine
