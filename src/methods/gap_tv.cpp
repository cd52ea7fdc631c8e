// GAP-TV: generalised alternating projection with a total-variation prior.
// X. Yuan, "Generalized alternating projection based total variation minimization for compressive sensing", ICIP 2016.
//
//   y₁ ← y₁ + (y − Φx)                    accelerated: the residual is carried along
//   x  ← x + Φᵀ (ΦΦᵀ)⁻¹ (y₁ − Φx)         project onto the cubes that explain y₁
//   x  ← argmin_u ½‖u − x‖² + w_k TV(u)   denoise; the weight w_k falls from iteration to iteration

#include <algorithm>
#include <cmath>

#include "methods/method.h"
#include "solvers/alternating_projection.h"
#include "solvers/detector_algebra.h"
#include "solvers/tv.h"

namespace snapcube {

namespace {

struct Options {
  int iterations = 100;
  int tv_iterations = 3;
  TvKind tv = TvKind::nuclear;
  double first_weight = 8;
  double last_weight = 0.5;
  bool accelerate = true;
  double tolerance = 0;
};

/// ‖a − b‖ / ‖a‖, summed row by row so that it does not depend on the threads.
double relative_change(const Cube& a, const Cube& b, std::vector<double>& row_sums) {
  const int rows = a.bands() * a.height();
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* now = a.data() + static_cast<std::size_t>(r) * a.width();
    const float* before = b.data() + static_cast<std::size_t>(r) * a.width();
    double change = 0;
    double size = 0;
    for (int x = 0; x < a.width(); ++x) {
      const double d = static_cast<double>(now[x]) - before[x];
      change += d * d;
      size += static_cast<double>(now[x]) * now[x];
    }
    row_sums[2 * static_cast<std::size_t>(r)] = change;
    row_sums[2 * static_cast<std::size_t>(r) + 1] = size;
  }
  double change = 0;
  double size = 0;
  for (std::size_t r = 0; r < row_sums.size(); r += 2) {
    change += row_sums[r];
    size += row_sums[r + 1];
  }
  return size > 0 ? std::sqrt(change / size) : 0.0;
}

class GapTv : public SolverMethod {
 public:
  MethodInfo info() override {
    return {"gap-tv", "GAP-TV", "alternating projection with a total-variation prior", parameters().describe()};
  }

  void configure(const Reconstructor::Settings& settings) override { parameters().apply(settings); }

 protected:
  void solve(const Image& y, const Camera& camera, const ProgressCallback& progress, Cube& x) override {
    const double unit = brightness(y, camera);
    std::ranges::fill(x.values(), 0.0f);
    if (!(unit > 0)) return;  // a black frame shows a black scene

    Cube before;
    std::vector<double> row_sums;
    if (options_.tolerance > 0) {
      before = x;
      row_sums.resize(2 * static_cast<std::size_t>(x.bands()) * x.height());
    }
    AlternatingProjection projection(y, camera, options_.accelerate);
    TvDenoiser denoiser(camera.bands(), camera.height(), camera.width(), options_.tv);
    for (int k = 0; k < options_.iterations; ++k) {
      report(progress, {k, options_.iterations, projection.residual(x), &x});
      projection.project(x);
      const double weight =
          unit * geometric_schedule(options_.first_weight, options_.last_weight, k, options_.iterations);
      denoiser.denoise(x, static_cast<float>(weight), options_.tv_iterations);
      if (options_.tolerance > 0) {
        if (relative_change(x, before, row_sums) < options_.tolerance) break;
        std::ranges::copy(x.values(), before.data());
      }
    }
  }

 private:
  ParameterList parameters() {
    ParameterList list("gap-tv");
    list.add("iterations", options_.iterations, 1, "most iterations");
    list.add("tolerance", options_.tolerance, 0.0, "stop when the cube changes by less than this share; 0: never");
    list.add("tv", options_.tv, tv_kind_names(), "how the bands' gradients are measured together");
    list.add("tv-iterations", options_.tv_iterations, 1, "steps of the denoiser in each iteration");
    list.add("first-weight", options_.first_weight, 1e-9, "TV weight at the start, relative to the brightness");
    list.add("last-weight", options_.last_weight, 1e-9, "TV weight at the end, relative to the brightness");
    list.add("accelerate", options_.accelerate, "carry the residual along");
    return list;
  }

  Options options_;
};

}  // namespace

std::unique_ptr<Reconstructor::Method> make_gap_tv() { return std::make_unique<GapTv>(); }

}  // namespace snapcube
