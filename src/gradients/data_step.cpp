#include "gradients/data_step.h"

#include <algorithm>
#include <vector>

namespace snapcube::gradients {

namespace {

struct Scratch {
  explicit Scratch(int count) : row(static_cast<std::size_t>(count)), solve(static_cast<std::size_t>(count)) {}
  std::vector<float> row;
  std::vector<float> solve;
};

template <typename Float>
RowOf<Float> bands(const PlanesOf<Float>& planes, int y) {
  return {planes.row(0, y), planes.pitch()};
}

void times(const float* factors, std::vector<float>& row) {
  if (!factors) return;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] *= factors[i];
}

/// A detector row of something, or null where there is none.
const float* detector_row(const float* values, std::size_t width, int y) {
  return values ? values + static_cast<std::size_t>(y) * width : nullptr;
}

}  // namespace

void data_step(const ConstPlanes& x, const DataStep& step, const Planes& out, float* solved) {
  const int count = step.dispersion->detector_width();
  const auto width = static_cast<std::size_t>(count);
#pragma omp parallel
  {
    Scratch scratch(count);
#pragma omp for schedule(static)
    for (int y = 0; y < x.height; ++y) {
      const float* measured = step.measurement + static_cast<std::size_t>(y) * width;
      const float* roots = detector_row(step.roots, width, y);
      project_row(*step.dispersion, bands(x, y), bands(step.masks, y), scratch.row.data());
      for (std::size_t i = 0; i < width; ++i) scratch.row[i] = measured[i] - scratch.row[i];
      times(roots, scratch.row);
      float* s = solved + static_cast<std::size_t>(y) * width;
      solve_row(step.diagonal + static_cast<std::size_t>(y) * width, detector_row(step.next, width, y), step.mu,
                scratch.row.data(), count, s, scratch.solve.data());
      std::copy_n(s, width, scratch.row.data());
      times(roots, scratch.row);
      back_project_row(*step.dispersion, scratch.row.data(), bands(step.masks, y), step.eta, bands(x, y),
                       bands(out, y));
    }
  }
}

// With u = √wΦg of the gradient g of x', v = (… + μ)⁻¹u, and s = `solved`:
// dx = g − η·Φᵀ√w v,  dη = ⟨u, s⟩,  dμ = −η·⟨v, s⟩.
DataStepGradient data_step_backward(const ConstPlanes& dout, const DataStep& step, const float* solved,
                                    const Planes& dx) {
  const int count = step.dispersion->detector_width();
  const auto width = static_cast<std::size_t>(count);
  std::vector<DataStepGradient> rows(static_cast<std::size_t>(dout.height));
#pragma omp parallel
  {
    Scratch scratch(count);
#pragma omp for schedule(static)
    for (int y = 0; y < dout.height; ++y) {
      const float* roots = detector_row(step.roots, width, y);
      const float* s = solved + static_cast<std::size_t>(y) * width;
      DataStepGradient& sums = rows[static_cast<std::size_t>(y)];
      project_row(*step.dispersion, bands(dout, y), bands(step.masks, y), scratch.row.data());
      times(roots, scratch.row);
      for (std::size_t i = 0; i < width; ++i) sums.eta += static_cast<double>(scratch.row[i]) * s[i];
      solve_row(step.diagonal + static_cast<std::size_t>(y) * width, detector_row(step.next, width, y), step.mu,
                scratch.row.data(), count, scratch.row.data(), scratch.solve.data());
      for (std::size_t i = 0; i < width; ++i) sums.mu -= static_cast<double>(step.eta) * scratch.row[i] * s[i];
      times(roots, scratch.row);
      back_project_row(*step.dispersion, scratch.row.data(), bands(step.masks, y), -step.eta, bands(dout, y),
                       bands(dx, y));
    }
  }
  DataStepGradient total;
  for (const DataStepGradient& row : rows) {
    total.eta += row.eta;
    total.mu += row.mu;
  }
  return total;
}

}  // namespace snapcube::gradients
