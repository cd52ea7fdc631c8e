#include <snapcube/reconstructor.h>

#include "methods/choose_method.h"

namespace snapcube {

Reconstructor Reconstructor::open(std::string_view method, const Settings& settings) {
  return Reconstructor(open_method(method, settings));
}

Reconstructor Reconstructor::open_model(std::string_view model, const Settings& settings) {
  return Reconstructor(snapcube::open_model(model, settings));
}

Reconstructor::Reconstructor(std::unique_ptr<Method> method) : name_(method->info().name), method_(std::move(method)) {}
Reconstructor::~Reconstructor() = default;
Reconstructor::Reconstructor(Reconstructor&&) noexcept = default;
Reconstructor& Reconstructor::operator=(Reconstructor&&) noexcept = default;

CameraOptions Reconstructor::camera_defaults() const { return method_->camera_defaults(); }
const Image* Reconstructor::expected_error() const { return method_->expected_error(); }
const SparsityMap* Reconstructor::sparsity_map() const { return method_->sparsity_map(); }
const PassReport* Reconstructor::passes() const { return method_->passes(); }

Cube Reconstructor::reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) {
  camera.check_measurement(measurement, name_);
  if (!camera.weighted()) return method_->reconstruct(measurement, camera, progress);
  // Methods compare √w·y with Φx, which has √w in it.
  weighed_ = measurement;
  camera.weigh(weighed_);
  return method_->reconstruct(weighed_, camera, progress);
}

}  // namespace snapcube
