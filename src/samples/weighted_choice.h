#pragma once
// One of several things, by weight.

#include <string>
#include <vector>

#include "base/random.h"

namespace snapcube {

class WeightedChoice {
 public:
  WeightedChoice() = default;
  /// Throws InputError naming `field` unless the weights are finite, none is negative and one is above 0.
  WeightedChoice(const std::vector<double>& weights, const std::string& field);

  std::size_t draw(Random& random) const;

 private:
  std::vector<double> sums_;
};

}  // namespace snapcube
