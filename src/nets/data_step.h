#pragma once
// The data step of an unrolled network, for libtorch: as its own operations, and on the project's kernels.

#include <torch/torch.h>
#include <vector>

namespace snapcube::nets {

/// A camera that disperses along the columns, and what it measured; one sample.
struct Capture {
  torch::Tensor measurement;      ///< y, [H, W'], in any units
  torch::Tensor masks;            ///< [bands, H, W]
  torch::Tensor weights;          ///< of detector pixels, 0 … 1, [H, W']; undefined: all 1
  std::vector<double> positions;  ///< of the bands on the detector, at least 0
  std::int64_t bands() const { return masks.size(0); }
};

/// Φx for x [bands, H, W], and its adjoint for s [H, W'].
torch::Tensor project(const Capture& capture, const torch::Tensor& x);
torch::Tensor back_project(const Capture& capture, const torch::Tensor& s);
/// s shifted back to each band, without the mask.
torch::Tensor shift_back(const Capture& capture, const torch::Tensor& s);

/// What a data step needs of a camera, computed once.
struct DataTerm {
  Capture capture;         ///< its measurement in units of `brightness`
  double brightness = 1;   ///< Σwy / ΣwΦ1: what the measurement was divided by
  torch::Tensor roots;     ///< √w; undefined: all 1
  torch::Tensor diagonal;  ///< of √wΦΦᵀ√w, [H, W']
  torch::Tensor next;      ///< beside it, [H, W']; undefined for positions of whole pixels
  double scale = 1;        ///< mean of the diagonal where it is not 0: μ is a part of that
  torch::Tensor level;     ///< level_row of the measurement, [H, W']
};
DataTerm data_term(const Capture& capture);

/// x + η·Φᵀ√w (√wΦΦᵀ√w + μ·scale)⁻¹ √w (y − Φx) for x [1, bands, H, W]; η and μ are tensors of one element.
torch::Tensor data_step(const DataTerm& term, const torch::Tensor& x, const torch::Tensor& eta,
                        const torch::Tensor& mu);
/// The same on the kernels.
torch::Tensor fast_data_step(const DataTerm& term, const torch::Tensor& x, const torch::Tensor& eta,
                             const torch::Tensor& mu);

}  // namespace snapcube::nets
