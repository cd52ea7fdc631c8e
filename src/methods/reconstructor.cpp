#include <fmt/format.h>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/reconstructor.h>

#include "base/text.h"
#include "methods/choose_method.h"

namespace snapcube {

namespace {

/// The number of threads of everything that this thread starts, until the end of the scope; 0: as it is.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(threads);
  }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

bool has_sizes(const CubeView& cube, const Camera& camera) {
  return cube.bands() == camera.bands() && cube.height() == camera.height() && cube.width() == camera.width();
}

}  // namespace

struct Reconstructor::State {
  std::string name;
  std::unique_ptr<Method> method;
  int threads = 0;
  Image gathered = {};  ///< a measurement whose rows were not plain, or that the camera has weights for
  Cube gathering = {};  ///< the result for a view whose rows are not plain
};

Reconstructor Reconstructor::open(std::string_view method, const Settings& settings) {
  return Reconstructor(open_method(method, settings));
}

Reconstructor Reconstructor::open_model(std::string_view model, const Settings& settings) {
  return Reconstructor(snapcube::open_model(model, settings));
}

Reconstructor::Reconstructor(std::unique_ptr<Method> method) : state_(std::make_unique<State>()) {
  state_->name = method->info().name;
  state_->method = std::move(method);
}
Reconstructor::~Reconstructor() = default;
Reconstructor::Reconstructor(Reconstructor&&) noexcept = default;
Reconstructor& Reconstructor::operator=(Reconstructor&&) noexcept = default;

const std::string& Reconstructor::method() const { return state_->name; }
CameraOptions Reconstructor::camera_defaults() const { return state_->method->camera_defaults(); }
bool Reconstructor::fits(const Camera& camera) const { return state_->method->fits(camera); }
const SparsityMap* Reconstructor::sparsity_map() const { return state_->method->sparsity_map(); }
const Image* Reconstructor::expected_error() const { return state_->method->expected_error(); }
const PassReport* Reconstructor::passes() const { return state_->method->passes(); }

void Reconstructor::configure(const Settings& settings) { state_->method->configure(settings); }

Reconstructor::Settings Reconstructor::settings() const {
  Settings now;
  for (const MethodParameter& p : state_->method->info().parameters) now[p.name] = p.default_value;
  return now;
}

void Reconstructor::set_threads(int threads) {
  if (threads < 0) throw InputError("threads", "", "a number of at least 0", std::to_string(threads));
  state_->threads = threads;
}

Cube Reconstructor::reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress) {
  Cube cube;
  reconstruct(measurement, camera, cube, progress);
  return cube;
}

void Reconstructor::reconstruct(const ImageView& measurement, const Camera& camera, Cube& out,
                                const ProgressCallback& progress) {
  if (!has_sizes(out, camera)) out = Cube(camera.bands(), camera.height(), camera.width());
  reconstruct(measurement, camera, CubeView(out), progress);
  out.wavelengths = state_->method->wavelengths(camera);
}

void Reconstructor::reconstruct(const ImageView& measurement, const Camera& camera, const CubeView& out,
                                const ProgressCallback& progress) {
  State& s = *state_;
  camera.check_measurement(measurement, s.name);
  if (!has_sizes(out, camera)) {
    throw InputError(s.name, "output",
                     fmt::format("{} bands of {}", camera.bands(), shape_text(camera.height(), camera.width())),
                     fmt::format("{} of {}", out.bands(), shape_text(out.height(), out.width())));
  }
  const ThreadScope threads(s.threads);
  const bool in_place = measurement.has_plain_rows() && !camera.weighted();
  if (!in_place) {
    if (s.gathered.height() != measurement.height() || s.gathered.width() != measurement.width()) {
      s.gathered = Image(measurement.height(), measurement.width());
    }
    copy(measurement, s.gathered);
    camera.weigh(s.gathered);  // methods compare √w·y with Φx, which has √w in it
  }
  const ImageView y = in_place ? measurement : ImageView(s.gathered);
  if (out.has_plain_rows() && out.band_stride() >= 0) return s.method->reconstruct(y, camera, progress, out);
  if (!has_sizes(s.gathering, camera)) s.gathering = Cube(camera.bands(), camera.height(), camera.width());
  s.method->reconstruct(y, camera, progress, s.gathering);
  copy(s.gathering, out);
}

}  // namespace snapcube
