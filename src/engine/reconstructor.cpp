#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include <snapcube/error.h>
#include <snapcube/reconstructor.h>

#include "base/text.h"
#include "engine/model_method.h"
#include "engine/outside.h"
#include "solvers/method.h"

namespace snapcube {

namespace {

constexpr std::array kMakers = {make_gap_tv, make_twist, make_desci};

/// What bounds a network's memory bounds its weights, too. Whether the setting is a number is said later.
std::uint64_t most_weights(const Reconstructor::Settings& settings) {
  const auto megabytes = settings.find("max_memory");
  const auto number = megabytes == settings.end() ? std::nullopt : parse_double(megabytes->second);
  const std::uint64_t most = WeightsRequest().max_bytes;
  return number && *number > 0 && *number * 1e6 < static_cast<double>(most) ? static_cast<std::uint64_t>(*number * 1e6)
                                                                            : most;
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> list;
    for (const auto make : kMakers) list.push_back(make()->info());
    return list;
  }();
  return all;
}

Reconstructor Reconstructor::open(std::string_view method, const Settings& settings) {
  std::vector<std::string> known;
  for (const auto make : kMakers) {
    auto candidate = make();
    known.push_back(candidate->info().name);
    if (known.back() != method) continue;
    candidate->configure(settings);
    return Reconstructor(std::move(candidate));
  }
  if (auto outside = engine::open_method_outside(method)) {
    outside->configure(settings);
    return Reconstructor(std::move(outside));
  }
  if (engine::is_model(method)) return open_model(method, settings);
  throw InputError(fmt::format("method '{}': not known; the methods are {}, and models (a name or a file)", method,
                               fmt::join(known, ", ")));
}

Reconstructor Reconstructor::open_model(std::string_view model, const Settings& settings) {
  auto method = engine::open_model(model, most_weights(settings));
  method->configure(settings);
  return Reconstructor(std::move(method));
}

Reconstructor::Reconstructor(std::unique_ptr<Method> method) : name_(method->info().name), method_(std::move(method)) {}
Reconstructor::~Reconstructor() = default;
Reconstructor::Reconstructor(Reconstructor&&) noexcept = default;
Reconstructor& Reconstructor::operator=(Reconstructor&&) noexcept = default;

CameraOptions Reconstructor::camera_defaults() const { return method_->camera_defaults(); }
const SparsityMap* Reconstructor::sparsity_map() const { return method_->sparsity_map(); }

Cube Reconstructor::reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) {
  camera.check_measurement(measurement, name_);
  return method_->reconstruct(measurement, camera, progress);
}

}  // namespace snapcube
