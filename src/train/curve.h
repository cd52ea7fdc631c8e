#pragma once
// The course of a run as a picture.

#include <filesystem>

namespace snapcube {

/// Draws what a run's log.jsonl tells: dB of the training batches and of the validations over the steps.
void write_curve(const std::filesystem::path& log, const std::filesystem::path& png);

}  // namespace snapcube
