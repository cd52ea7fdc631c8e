#pragma once
// Between the frame, where band b is an image of H × W, and the detector of W' = W + (bands − 1)·|step| columns, where
// it lies |step|·b columns to the right (for a negative step: |step|·(bands − 1 − b)).

#include <cstdint>
#include <torch/torch.h>

namespace snapcube::nets {

/// First column of each band.
std::vector<std::int64_t> band_columns(std::int64_t bands, int step);
/// Columns of the detector.
std::int64_t detector_width(std::int64_t bands, std::int64_t width, int step);

/// The measurement [batch, H, W'] whose parts, shifted back, are `shifted` [batch, bands, H, W].
torch::Tensor detector_of(const torch::Tensor& shifted, int step);
/// Every band's part of a measurement [batch, H, W']: [batch, bands, H, width].
torch::Tensor shift_back(const torch::Tensor& measurement, std::int64_t bands, std::int64_t width, int step);
/// The same for maps that have bands already, [batch, bands, H, W'].
torch::Tensor shift_back_bands(const torch::Tensor& maps, std::int64_t width, int step);
/// Bands at their places on the detector, 0 elsewhere: [batch, bands, H, W] to [batch, bands, H, W'].
torch::Tensor on_detector(const torch::Tensor& cube, int step);
/// Φ: the mask [batch, H, W] at each band's place, [batch, bands, H, W'].
torch::Tensor masks_on_detector(const torch::Tensor& mask, std::int64_t bands, int step);

}  // namespace snapcube::nets
