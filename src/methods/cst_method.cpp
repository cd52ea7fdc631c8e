
#include <fmt/format.h>
#include <omp.h>

#include <snapcube/log.h>

#include "base/text.h"
#include "engine/tiled.h"
#include "methods/network_method.h"

namespace snapcube {

namespace {

class CstMethod final : public NetworkMethod {
 public:
  explicit CstMethod(const Weights& weights)
      : NetworkMethod(weights.config), network_(weights), sparsity_(weights.config.sparsity) {}

  void configure(const Reconstructor::Settings& settings) override {
    NetworkMethod::configure(settings);
    if (!settings.contains("sparsity")) return;
    try {
      network_.set_sparsity(sparsity_);
    } catch (...) {
      sparsity_ = network_.config().sparsity;
      throw;
    }
  }
  const SparsityMap* sparsity_map() const override { return has_map_ ? &map_ : nullptr; }

 protected:
  void add_parameters(ParameterList& list) override {
    list.add("sparsity", sparsity_, 0, "σ: the share of windows that attention leaves out");
  }
  std::string memory_text() const override {
    return "MB that the network may take: larger frames go in tiles; 0: half of all";
  }
  void run(const engine::Frame& frame, const FrameSize& usable, std::size_t most,
           const std::function<void(double)>& report, const CubeView& out) override;

 private:
  void note_map(const engine::Plane& map, const std::vector<int>& windows, const Camera& camera, int width);

  engine::CstNetwork network_;
  double sparsity_;
  SparsityMap map_;  ///< its memory is kept from frame to frame
  bool has_map_ = false;
};

void CstMethod::run(const engine::Frame& frame, const FrameSize& usable, std::size_t most,
                    const std::function<void(double)>& report, const CubeView& out) {
  const ModelConfig& used = network_.config();
  const int threads = omp_get_max_threads();
  has_map_ = false;
  if (network_.bytes_for(usable.height, usable.width) <= most) {
    network_.prepare(usable.height, usable.width, threads);
    network_.set_progress(report);
    network_.run(frame, {0, 0, usable.height, usable.width, nullptr}, out);
    network_.set_progress({});
    if (used.has_error_map()) note_map(network_.error_map(), network_.windows().front(), frame.camera(), usable.width);
    return;
  }
  const FrameSize tile = engine::tile_size(network_, usable, most);
  log_info(fmt::format("{}: the frame of {} is processed in tiles of {}, to stay below {} MB", used.variant,
                       shape_text(usable.height, usable.width), shape_text(tile.height, tile.width), most / 1'000'000));
  if (used.scope == Scope::global) {
    log_warning(fmt::format("{}: attention of global scope sees one tile at a time", used.variant));
  }
  const engine::TiledResult result = engine::run_tiled(network_, frame, usable, tile, threads, report, out);
  if (used.has_error_map()) note_map(result.error_map, result.windows.front(), frame.camera(), usable.width);
}

void CstMethod::note_map(const engine::Plane& map, const std::vector<int>& windows, const Camera& camera, int width) {
  Image& values = map_.values;
  if (values.height() != camera.height() || values.width() != camera.width()) {
    values = Image(camera.height(), camera.width());
  }
  for (int y = 0; y < camera.height(); ++y) std::copy_n(map.row(y), camera.width(), values.row(y));
  const int size = network_.config().window;
  const int across = width / size;
  map_.kept.clear();
  for (const int w : windows) map_.kept.push_back({w / across * size, w % across * size, size, size});
  has_map_ = true;
}

}  // namespace

std::unique_ptr<Reconstructor::Method> make_cst_method(const Weights& weights) {
  return std::make_unique<CstMethod>(weights);
}

}  // namespace snapcube
