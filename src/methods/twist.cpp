// TwIST: two-step iterative shrinkage/thresholding with a total-variation denoiser.
// J. Bioucas-Dias, M. Figueiredo, "A new TwIST: two-step iterative shrinkage/thresholding algorithms for image
// restoration", IEEE Trans. Image Processing 16(12), 2007.
//
// It minimises ½‖A x − b‖² + w TV(x) with A = (ΦΦᵀ)^−½ Φ, b = (ΦΦᵀ)^−½ y: the rows are normalised, so that AAᵀ = I and
// no step size has to be tuned to the mask. Then Aᵀ(b − A x) = Φᵀ (ΦΦᵀ)⁻¹ (y − Φx).
//
//   g       = denoise_w(x_k + Aᵀ(b − A x_k))
//   x_{k+1} = (1 − α) x_{k−1} + (α − β) x_k + β g,   or g itself where that does not lower the objective

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/method.h"
#include "solvers/detector_algebra.h"
#include "solvers/tv.h"

namespace snapcube {

namespace {

struct Options {
  int iterations = 150;
  int tv_iterations = 5;
  TvKind tv = TvKind::nuclear;
  double first_weight = 4;
  double last_weight = 0.1;
  double smallest_eigenvalue = 0.05;
  double tolerance = 0;
};

class Twist : public SolverMethod {
 public:
  MethodInfo info() override {
    return {"twist", "TwIST", "two-step shrinkage with a total-variation prior", parameters().describe()};
  }

  void configure(const Reconstructor::Settings& settings) override { parameters().apply(settings); }

 protected:
  void solve(const Image& y, const Camera& camera, const ProgressCallback& progress, Cube& x) override {
    const Image inverse = inverse_row_sums(camera);
    const double unit = brightness(y, camera);
    const double size = std::sqrt(squared_norm(y));
    std::ranges::fill(x.values(), 0.0f);
    if (!(unit > 0)) return;

    // Optimal for eigenvalues of AᵀA in [ξ, 1] (eq. 26 and 27 of the paper).
    const double xi = options_.smallest_eigenvalue;
    const double rho = (1 - xi) / (1 + xi);
    const double alpha = 2 / (1 + std::sqrt(1 - rho * rho));
    const double beta = 2 * alpha / (1 + xi);

    Cube previous = x;
    Cube candidate = x;
    Cube denoised = x;
    Image image(y.height(), y.width());
    TvDenoiser denoiser(camera.bands(), camera.height(), camera.width(), options_.tv);
    Objective now = objective(x, y, camera, inverse, denoiser, image);
    double last = 0;
    for (int k = 0; k < options_.iterations; ++k) {
      report(progress, {k, options_.iterations, now.residual / size, &x});
      const double weight =
          unit * geometric_schedule(options_.first_weight, options_.last_weight, k, options_.iterations);
      // image holds (ΦΦᵀ)⁻¹ (y − Φx) from the objective of x.
      camera.adjoint(image, denoised);
      blend(denoised, x, 1.0f);
      denoiser.denoise(denoised, static_cast<float>(weight), options_.tv_iterations);
      if (k > 0) {
        two_step(previous, x, denoised, static_cast<float>(alpha), static_cast<float>(beta), candidate);
        Objective next = objective(candidate, y, camera, inverse, denoiser, image);
        if (next.at(weight) > now.at(weight)) {
          std::swap(candidate, denoised);
          next = objective(candidate, y, camera, inverse, denoiser, image);
        }
        now = next;
      } else {
        std::swap(candidate, denoised);
        now = objective(candidate, y, camera, inverse, denoiser, image);
      }
      std::swap(previous, x);
      std::swap(x, candidate);
      const double value = now.at(weight);
      if (options_.tolerance > 0 && k > 0 && std::fabs(value - last) < options_.tolerance * last) break;
      last = value;
    }
  }

 private:
  struct Objective {
    double fidelity;  ///< ½‖A x − b‖²
    double variation;
    double residual;  ///< ‖y − Φx‖
    double at(double weight) const { return fidelity + weight * variation; }
  };

  /// Also leaves (ΦΦᵀ)⁻¹ (y − Φx) in `image`, where the next step takes it from.
  static Objective objective(const Cube& x, const Image& y, const Camera& camera, const Image& inverse,
                             TvDenoiser& denoiser, Image& image) {
    camera.forward(x, image);
    Objective result{0, denoiser.value(x), 0};
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double r = static_cast<double>(y.data()[i]) - image.data()[i];
      result.residual += r * r;
      result.fidelity += 0.5 * r * r * inverse.data()[i];
      image.data()[i] = static_cast<float>(r) * inverse.data()[i];
    }
    result.residual = std::sqrt(result.residual);
    return result;
  }

  /// to += share · from.
  static void blend(Cube& to, const Cube& from, float share) {
    const auto n = static_cast<std::int64_t>(to.size());
    const float* a = from.data();
    float* b = to.data();
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) b[i] += share * a[i];
  }

  static void two_step(const Cube& previous, const Cube& x, const Cube& g, float alpha, float beta, Cube& next) {
    const auto n = static_cast<std::int64_t>(x.size());
    const float* a = previous.data();
    const float* b = x.data();
    const float* c = g.data();
    float* to = next.data();
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) to[i] = (1 - alpha) * a[i] + (alpha - beta) * b[i] + beta * c[i];
  }

  ParameterList parameters() {
    ParameterList list("twist");
    list.add("iterations", options_.iterations, 1, "most iterations");
    list.add("tolerance", options_.tolerance, 0.0, "stop when the objective changes by less than this share; 0: never");
    list.add("tv", options_.tv, tv_kind_names(), "how the bands' gradients are measured together");
    list.add("tv-iterations", options_.tv_iterations, 1, "steps of the denoiser in each iteration");
    list.add("first-weight", options_.first_weight, 1e-9, "TV weight at the start, relative to the brightness");
    list.add("last-weight", options_.last_weight, 1e-9, "TV weight at the end, relative to the brightness");
    list.add("smallest-eigenvalue", options_.smallest_eigenvalue, 1e-9, "assumed for AᵀA; sets the two-step weights");
    return list;
  }

  Options options_;
};

}  // namespace

std::unique_ptr<Reconstructor::Method> make_twist() { return std::make_unique<Twist>(); }

}  // namespace snapcube
