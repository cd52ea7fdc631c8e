#pragma once
// The settings `passes` and `refine` that every network's method has.

#include <string>

#include "methods/feedback.h"
#include "methods/parameters.h"
#include "models/model_config.h"

namespace snapcube {

class FeedbackParameters {
 public:
  /// Passes and the solver where the weights file says that they help; one pass otherwise.
  explicit FeedbackParameters(const ModelConfig& config);

  void add_to(ParameterList& list);
  /// What was set, as options. Throws InputError, naming the method, for a number of passes that is none.
  FeedbackOptions options(const std::string& method) const;

 private:
  std::string passes_;  ///< a number, or auto
  bool refine_;
};

}  // namespace snapcube
