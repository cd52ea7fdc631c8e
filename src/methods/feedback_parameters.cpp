#include "methods/feedback_parameters.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

constexpr const char* kAutomatic = "auto";
/// Far more than ever helped.
constexpr int kMostPassesAsked = 20;

}  // namespace

FeedbackParameters::FeedbackParameters(const ModelConfig& config)
    : passes_(config.feedback ? kAutomatic : "1"), refine_(config.feedback) {}

void FeedbackParameters::add_to(ParameterList& list) {
  static const std::vector<std::pair<std::string, bool>> kRefine = {{"gap-tv", true}, {"none", false}};
  list.add("passes", passes_, "runs of the network, each on what the last could not explain; auto: while that helps");
  list.add("refine", refine_, kRefine, "the solver that looks for the rest, and helps with lamps where passes=auto");
}

FeedbackOptions FeedbackParameters::options(const std::string& method) const {
  if (passes_ == kAutomatic) return {.passes = 0, .refine = refine_};
  const auto number = parse_int(passes_);
  if (!(number && *number >= 1 && *number <= kMostPassesAsked)) {
    throw InputError(method, "passes", fmt::format("a whole number from 1 to {}, or {}", kMostPassesAsked, kAutomatic),
                     fmt::format("'{}'", passes_));
  }
  return {.passes = static_cast<int>(*number), .refine = refine_};
}

}  // namespace snapcube
