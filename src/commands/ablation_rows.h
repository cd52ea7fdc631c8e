#pragma once
// The rows of an ablation as runs of `snapcube train`: each in a folder of its own, trained once, whatever interrupts
// it.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/ablations.h"

namespace snapcube {

struct RowScene {
  std::string name;
  double psnr;
  double ssim;
};

/// What became of a row that has finished.
struct RowResult {
  ModelConfig config;            ///< of the network that was trained
  std::vector<RowScene> scenes;  ///< at the last step
  std::int64_t steps = 0;
  double seconds = 0;  ///< of all steps together
  int threads = 0;
};

class AblationRows {
 public:
  /// `options`: what `snapcube train` is told for every row. Throws InputError when the folder's rows were trained with
  /// others.
  AblationRows(std::string folder, std::vector<std::string> options);

  /// Trains the row unless that has been done; goes on where it was interrupted. Throws Interrupted, or Error when it
  /// fails.
  void train(const AblationRow& row, bool quiet) const;
  /// Nothing as long as it has not finished.
  std::optional<RowResult> result(const AblationRow& row) const;

 private:
  std::string run_folder(const AblationRow& row) const;
  std::string result_file(const AblationRow& row) const;
  void note_result(const AblationRow& row) const;

  std::string folder_;
  std::vector<std::string> options_;
};

}  // namespace snapcube
