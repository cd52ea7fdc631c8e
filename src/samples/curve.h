#pragma once
// The course of a run as a picture.

#include <filesystem>
#include <vector>

namespace snapcube {

/// dB of the training batches and of the validations.
struct Course {
  struct Moment {
    double step = 0;
    double core_hours = 0;  ///< time of the steps so far, of all threads of all ranks; interrupted ones count, too
    double psnr = 0;
  };
  std::vector<Moment> batches;
  std::vector<Moment> validations;
};

/// What a run's log.jsonl tells. Lines that are not a log's are skipped.
Course read_course(const std::filesystem::path& log);

/// Draws a run's course into its folder: curve.png over the steps, curve_hours.png over the hours of one core.
void write_curves(const std::filesystem::path& log, const std::filesystem::path& folder);

}  // namespace snapcube
