#include "serve/gallery.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/metrics.h>

#include "render/appearance.h"

namespace snapcube {

namespace {

/// Results of pairs that are kept; beyond that all are dropped and computed when asked for again.
constexpr std::size_t kPairs = 8;

Cube as_cube(const Image& image) {
  Cube cube(1, image.height(), image.width());
  std::ranges::copy(image.values(), cube.data());
  return cube;
}

Cube single_band(const Cube& cube, int b) {
  Cube result(1, cube.height(), cube.width());
  std::copy_n(cube.band(b), cube.band_size(), result.data());
  return result;
}

void fill(Source& source, Cube cube) {
  float low = cube.data()[0];
  float high = low;
#pragma omp parallel for reduction(min : low) reduction(max : high)
  for (std::size_t i = 0; i < cube.size(); ++i) {
    low = std::min(low, cube.data()[i]);
    high = std::max(high, cube.data()[i]);
  }
  source.minimum = low;
  source.maximum = high;
  int exponent = 0;
  std::frexp(std::max(std::abs(low), std::abs(high)), &exponent);
  source.unit = std::ldexp(1.0f, std::clamp(-exponent, -126, 126));
  source.cube = std::make_shared<const Cube>(std::move(cube));
  source.colour = std::make_shared<Lazy<LinearColour>>();
}

template <typename Map>
auto entry(Map& map, const typename Map::key_type& key) {
  if (map.size() >= kPairs && !map.contains(key)) map.clear();
  auto& place = map[key];
  if (!place) place = std::make_shared<typename Map::mapped_type::element_type>();
  return place;
}

}  // namespace

std::string to_string(Role role) {
  switch (role) {
    case Role::cube:
      return "cube";
    case Role::truth:
      return "truth";
    case Role::measurement:
      return "measurement";
    case Role::mask:
      return "mask";
    case Role::reconstruction:
      return "reconstruction";
    case Role::screening:
      return "screening";
    case Role::expected:
      return "expected";
  }
  return {};
}

bool same_shape(const Cube& a, const Cube& b) {
  return a.bands() == b.bands() && a.height() == b.height() && a.width() == b.width();
}

int Gallery::add(std::string name, Role role, Cube cube) {
  if (cube.empty()) throw InputError(name, "", "at least one value", "none");
  Source source;
  source.name = std::move(name);
  source.role = role;
  fill(source, std::move(cube));
  const std::lock_guard lock(mutex_);
  sources_.push_back(std::move(source));
  return static_cast<int>(sources_.size()) - 1;
}

int Gallery::add(std::string name, Role role, const Image& image) { return add(std::move(name), role, as_cube(image)); }

void Gallery::replace(int id, Cube cube) {
  Source fresh;
  fill(fresh, std::move(cube));
  const std::lock_guard lock(mutex_);
  Source& old = sources_[static_cast<std::size_t>(id)];
  fresh.name = old.name;
  fresh.role = old.role;
  fresh.version = old.version + 1;
  old = std::move(fresh);
}

int Gallery::add_model(const std::string& name, Reconstruct method, std::optional<double> sigma) {
  Reconstruction result = method(sigma);
  Model model;
  model.name = name;
  model.source = add(name, Role::reconstruction, std::move(result.cube));
  model.seconds = result.seconds;
  if (result.sparsity) {
    model.screening = add("screening of " + name, Role::screening, result.sparsity->values);
    model.sigma = sigma;
    model.kept = std::move(result.sparsity->kept);
  }
  if (result.expected_error) {
    model.expected = add("expected error of " + name, Role::expected, *result.expected_error);
  }
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
  method_ = std::move(method);
  return model_->source;
}

void Gallery::reconstruct_again(double sigma) {
  const std::lock_guard running(running_);
  const std::optional<Model> now = model();
  if (!now || !now->sigma) throw InputError("reconstruct", "sigma", "a model with screening", "none");
  if (!(sigma >= 0 && sigma < 1)) throw InputError("reconstruct", "sigma", "0 … below 1", fmt::format("{}", sigma));
  Reconstruction result = method_(sigma);
  replace(now->source, std::move(result.cube));
  if (result.sparsity && now->screening >= 0) replace(now->screening, as_cube(result.sparsity->values));
  if (result.expected_error && now->expected >= 0) replace(now->expected, as_cube(*result.expected_error));
  const std::lock_guard lock(mutex_);
  model_->sigma = sigma;
  model_->seconds = result.seconds;
  model_->kept = result.sparsity ? std::move(result.sparsity->kept) : std::vector<Region>{};
}

void Gallery::go_live() {
  const std::lock_guard lock(mutex_);
  live_.emplace();
}

void Gallery::show(std::vector<Fresh> fresh, LiveState state) {
  std::vector<Source> filled;
  for (Fresh& f : fresh) {
    Source source;
    source.name = std::move(f.name);
    source.role = f.role;
    fill(source, std::move(f.cube));
    filled.push_back(std::move(source));
  }
  const std::lock_guard lock(mutex_);
  for (Source& source : filled) {
    const auto old = std::ranges::find(sources_, source.role, &Source::role);
    if (old == sources_.end()) {
      sources_.push_back(std::move(source));
      continue;
    }
    source.version = old->version + 1;
    before_[static_cast<int>(old - sources_.begin())] = std::exchange(*old, std::move(source));
  }
  live_ = std::move(state);
  ++news_;
  shown_.notify_all();
}

std::optional<LiveState> Gallery::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

std::uint64_t Gallery::news() const {
  const std::lock_guard lock(mutex_);
  return news_;
}

void Gallery::wait_for_news(std::uint64_t after, std::chrono::milliseconds most,
                            const std::function<bool()>& go_on) const {
  constexpr std::chrono::milliseconds kStep{100};
  std::unique_lock lock(mutex_);
  for (auto left = most; left.count() > 0 && news_ <= after && go_on(); left -= kStep) {
    shown_.wait_for(lock, std::min(left, kStep), [&] { return news_ > after; });
  }
}

int Gallery::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(sources_.size());
}

std::optional<Source> Gallery::source(int id) const {
  const std::lock_guard lock(mutex_);
  if (id < 0 || id >= static_cast<int>(sources_.size())) return std::nullopt;
  return sources_[static_cast<std::size_t>(id)];
}

std::optional<Source> Gallery::source(int id, int version) const {
  const std::lock_guard lock(mutex_);
  if (id < 0 || id >= static_cast<int>(sources_.size())) return std::nullopt;
  const Source& now = sources_[static_cast<std::size_t>(id)];
  if (now.version == version) return now;
  const auto before = before_.find(id);
  if (before != before_.end() && before->second.version == version) return before->second;
  throw Outdated(now.name, "version", std::to_string(now.version), std::to_string(version));
}

int Gallery::find(Role role) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(sources_, role, &Source::role);
  return found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin());
}

std::optional<Gallery::Model> Gallery::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

std::shared_ptr<const Image> Gallery::mean_error(const Source& a, const Source& b, int id_a, int id_b) {
  const auto lazy = [&] {
    const std::lock_guard lock(mutex_);
    return entry(errors_, Pair{id_a, a.version, id_b, b.version});
  }();
  return lazy->get([&] { return std::make_shared<const Image>(mean_absolute_error(*a.cube, *b.cube)); });
}

BandScores Gallery::scores(const Source& a, const Source& b, int id_a, int id_b, const std::function<bool()>& go_on) {
  const auto lazy = [&] {
    const std::lock_guard lock(mutex_);
    return entry(scores_, Pair{id_a, a.version, id_b, b.version});
  }();
  return lazy->get([&] {
    BandScores result;
    for (int band = 0; band < a.cube->bands(); ++band) {
      if (!go_on()) throw Interrupted();
      const Cube p = single_band(*a.cube, band);
      const Cube q = single_band(*b.cube, band);
      result.psnr.push_back(psnr(p, q));
      result.ssim.push_back(ssim(p, q));
    }
    return result;
  });
}

}  // namespace snapcube
