#include "models/onnx.h"

#include <snapcube/error.h>

#include "models/cst_onnx.h"
#include "models/networks.h"
#include "models/prism_form.h"
#include "models/prism_onnx.h"

namespace snapcube {

std::string to_onnx(const Weights& weights, const std::string& source) {
  const std::string& variant = weights.config.variant;
  if (find_prism_form(variant)) return prism_onnx(weights, source);
  if (find_network(variant)) throw InputError(source, "variant", "a CST or Prism, which can be exported", variant);
  return cst_onnx(weights, source);
}

}  // namespace snapcube
