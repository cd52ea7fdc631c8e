#pragma once
// Whether a network gains by passes with error feedback: measured, and noted in its weights file.

#include <string>
#include <vector>

namespace snapcube {

struct FeedbackCheck {
  std::string model;  ///< a weights file of ours
  std::vector<std::string> scenes;
  std::string mask;

  /// Measures one pass against several, at the brightness of the scenes and at that which frames are brought to,
  /// without and with noise; writes the key `feedback` into the file when the answer is another than before. Prints.
  void run(bool json) const;
};

}  // namespace snapcube
