#include "engine/model_method.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <optional>
#include <unistd.h>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "engine/installed_models.h"
#include "engine/tiled.h"
#include "models/any_weights.h"

namespace snapcube::engine {

namespace {

std::size_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(size)
                               : std::size_t{2} << 30;
}

/// Tells what a file of others does not say and was inferred or taken as published.
Weights load_weights(const std::string& path) {
  LoadedWeights loaded = read_any_weights(path);
  if (!loaded.notes.empty()) log_info(fmt::format("{}: {}", path, loaded.format));
  for (const std::string& note : loaded.notes) log_info("  " + note);
  return std::move(loaded.weights);
}

class ModelMethod final : public Reconstructor::Method {
 public:
  explicit ModelMethod(const std::string& path) : network_(load_weights(path)), scale_(network_.config().scale) {
    sparsity_ = network_.config().sparsity;
  }

  MethodInfo info() override {
    const ModelConfig& c = network_.config();
    return {c.variant, c.variant, fmt::format("a trained network of {} bands", c.bands), parameters().describe()};
  }

  void configure(const Reconstructor::Settings& settings) override {
    parameters().apply(settings);
    if (settings.contains("sparsity")) network_.set_sparsity(sparsity_);
  }

  CameraOptions camera_defaults() const override {
    CameraOptions options;
    options.bands = network_.config().bands;
    options.step = network_.config().step;
    options.wavelengths = network_.config().wavelengths;
    return options;
  }

  Cube reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) override;
  const SparsityMap* sparsity_map() const override { return map_ ? &*map_ : nullptr; }

 private:
  ParameterList parameters() {
    static const std::vector<std::pair<std::string, MeasurementScale>> kScales = {{"sum", MeasurementScale::sum},
                                                                                  {"max", MeasurementScale::max}};
    ParameterList list(network_.config().variant);
    list.add("scale", scale_, kScales, "what the measurement is: the sum over bands, or in arbitrary units");
    list.add("sparsity", sparsity_, 0, "σ: the share of windows that attention leaves out");
    list.add("max_memory", max_megabytes_, 0,
             "MB that the network may take: larger frames go in tiles; 0: half of all");
    return list;
  }
  void note_map(const Plane& map, const std::vector<int>& windows, const Camera& camera, int width);

  Network network_;
  MeasurementScale scale_;
  double sparsity_ = 0;
  double max_megabytes_ = 0;
  std::optional<SparsityMap> map_;
};

Cube ModelMethod::reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) {
  const ModelConfig& config = network_.config();
  if (camera.bands() != config.bands) {
    throw InputError(config.variant, "camera", fmt::format("{} bands, as the model was trained for", config.bands),
                     std::to_string(camera.bands()));
  }
  const FrameSize usable = usable_size(config, camera.height(), camera.width());
  if (usable.height != camera.height() || usable.width != camera.width()) {
    log_info(fmt::format("{}: the frame of {} is reflected to {}, and the result cropped", config.variant,
                         shape_text(camera.height(), camera.width()), shape_text(usable.height, usable.width)));
  }
  constexpr int kSteps = 1000;
  const auto report = [&](double share) {
    if (progress && !progress({static_cast<int>(share * kSteps), kSteps, 0})) throw Interrupted();
  };
  const Frame frame(measurement, camera, scale_);
  Cube out(config.bands, camera.height(), camera.width());
  out.wavelengths = camera.wavelengths().empty() ? config.wavelengths : camera.wavelengths();
  const std::size_t most = max_megabytes_ > 0 ? static_cast<std::size_t>(max_megabytes_ * 1e6) : half_of_memory();
  const int threads = omp_get_max_threads();
  map_.reset();
  if (network_.bytes_for(usable.height, usable.width) <= most) {
    network_.prepare(usable.height, usable.width, threads);
    network_.set_progress(progress ? std::function<void(double)>(report) : nullptr);
    network_.run(frame, {0, 0, usable.height, usable.width, nullptr}, out);
    network_.set_progress({});
    if (config.has_error_map()) note_map(network_.error_map(), network_.windows().front(), camera, usable.width);
  } else {
    const FrameSize tile = tile_size(network_, usable, most);
    log_info(fmt::format("{}: the frame of {} goes in tiles of {}, to stay below {} MB", config.variant,
                         shape_text(usable.height, usable.width), shape_text(tile.height, tile.width),
                         most / 1'000'000));
    if (config.scope == Scope::global) {
      log_warning(fmt::format("{}: attention of global scope sees one tile at a time", config.variant));
    }
    const TiledResult result = run_tiled(network_, frame, usable, tile, threads, report, out);
    if (config.has_error_map()) note_map(result.error_map, result.windows.front(), camera, usable.width);
  }
  if (scale_ == MeasurementScale::max) {
    for (float& v : out.values()) v = std::clamp(v, 0.0f, 1.0f);
  }
  return out;
}

void ModelMethod::note_map(const Plane& map, const std::vector<int>& windows, const Camera& camera, int width) {
  map_.emplace();
  map_->values = Image(camera.height(), camera.width());
  for (int y = 0; y < camera.height(); ++y) std::copy_n(map.row(y), camera.width(), map_->values.row(y));
  const int size = network_.config().window;
  const int across = width / size;
  for (const int w : windows) map_->kept.push_back({w / across * size, w % across * size, size, size});
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kModelExtension) || name.ends_with(".pth") ||
         name.ends_with(".pt");
}

}  // namespace

bool is_model(std::string_view name) {
  std::vector<std::string> tried;
  return is_path(name) || std::ranges::find(cst_variant_names(), name) != cst_variant_names().end() ||
         find_model(name, tried);
}

std::unique_ptr<Reconstructor::Method> open_model(std::string_view name) {
  if (is_path(name)) return std::make_unique<ModelMethod>(std::string(name));
  std::vector<std::string> tried;
  const auto found = find_model(name, tried);
  if (found) return std::make_unique<ModelMethod>(*found);
  throw InputError(fmt::format(
      "model '{}': there is no weights file {}; set SNAPCUBE_MODELS to a folder of models, or give a file's "
      "path",
      name, fmt::join(tried, " nor ")));
}

}  // namespace snapcube::engine
