#include "samples/weighted_choice.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

namespace snapcube {

WeightedChoice::WeightedChoice(const std::vector<double>& weights, const std::string& field) {
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw InputError("training configuration", field, "weights of at least 0", fmt::format("{}", weight));
    }
    sums_.push_back(sum += weight);
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InputError("training configuration", field, "a weight above 0", "none");
  }
}

std::size_t WeightedChoice::draw(Random& random) const {
  // The first sum above the number drawn: what has no weight is never taken.
  const double at = random.uniform() * sums_.back();
  const auto chosen = std::ranges::upper_bound(sums_, at);
  return static_cast<std::size_t>(std::min(chosen, sums_.end() - 1) - sums_.begin());
}

}  // namespace snapcube
