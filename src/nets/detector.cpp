#include "nets/detector.h"

#include <cstdlib>

namespace snapcube::nets {

namespace F = torch::nn::functional;

std::vector<std::int64_t> band_columns(std::int64_t bands, int step) {
  std::vector<std::int64_t> columns;
  for (std::int64_t b = 0; b < bands; ++b) columns.push_back(std::abs(step) * (step >= 0 ? b : bands - 1 - b));
  return columns;
}

std::int64_t detector_width(std::int64_t bands, std::int64_t width, int step) {
  return width + (bands - 1) * std::abs(step);
}

torch::Tensor detector_of(const torch::Tensor& shifted, int step) {
  const auto bands = shifted.size(1);
  const auto width = shifted.size(3);
  auto columns = band_columns(bands, step);
  // From the left to the right, each band gives the columns that the ones before did not reach.
  std::vector<torch::Tensor> parts;
  std::int64_t reached = 0;
  for (std::int64_t i = 0; i < bands; ++i) {
    const std::int64_t b = step >= 0 ? i : bands - 1 - i;
    const std::int64_t start = columns[static_cast<std::size_t>(b)];
    if (start + width <= reached) continue;
    const std::int64_t from = reached - start;
    // A step wider than the frame leaves columns that no band saw.
    if (from < 0) parts.push_back(torch::zeros_like(shifted.select(1, b).slice(2, 0, -from)));
    parts.push_back(shifted.select(1, b).slice(2, std::max<std::int64_t>(0, from), width));
    reached = start + width;
  }
  return torch::cat(parts, 2);
}

torch::Tensor shift_back(const torch::Tensor& measurement, std::int64_t bands, std::int64_t width, int step) {
  std::vector<torch::Tensor> parts;
  for (const std::int64_t start : band_columns(bands, step)) {
    parts.push_back(measurement.slice(2, start, start + width));
  }
  return torch::stack(parts, 1);
}

torch::Tensor shift_back_bands(const torch::Tensor& maps, std::int64_t width, int step) {
  const auto columns = band_columns(maps.size(1), step);
  std::vector<torch::Tensor> parts;
  for (std::size_t b = 0; b < columns.size(); ++b) {
    parts.push_back(maps.select(1, static_cast<std::int64_t>(b)).slice(2, columns[b], columns[b] + width));
  }
  return torch::stack(parts, 1);
}

torch::Tensor on_detector(const torch::Tensor& cube, int step) {
  const auto columns = band_columns(cube.size(1), step);
  const auto rest = detector_width(cube.size(1), 0, step);
  std::vector<torch::Tensor> parts;
  for (std::size_t b = 0; b < columns.size(); ++b) {
    parts.push_back(
        F::pad(cube.select(1, static_cast<std::int64_t>(b)), F::PadFuncOptions({columns[b], rest - columns[b]})));
  }
  return torch::stack(parts, 1);
}

torch::Tensor masks_on_detector(const torch::Tensor& mask, std::int64_t bands, int step) {
  return on_detector(mask.unsqueeze(1).expand({mask.size(0), bands, mask.size(1), mask.size(2)}), step);
}

}  // namespace snapcube::nets
