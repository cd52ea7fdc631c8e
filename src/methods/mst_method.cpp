
#include <fmt/format.h>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "engine/mst_network.h"
#include "methods/network_method.h"

namespace snapcube {

namespace {

class MstMethod final : public NetworkMethod {
 public:
  explicit MstMethod(const Weights& weights) : NetworkMethod(weights.config), network_(weights) {}

 protected:
  std::string memory_text() const override { return "MB that the network may take; 0: half of all"; }
  void run(const engine::Frame& frame, const FrameSize&, std::size_t most, const std::function<void(double)>& report,
           const CubeView& out) override;

 private:
  engine::MstNetwork network_;
};

void MstMethod::run(const engine::Frame& frame, const FrameSize& usable, std::size_t most,
                    const std::function<void(double)>& report, const CubeView& out) {
  using Guides = engine::MstNetwork::Guides;
  const Guides guides = network_.bytes_for(frame.camera(), Guides::kept) <= most ? Guides::kept : Guides::anew;
  // Its attention sees all pixels of a frame: tiles would be another network.
  if (const std::size_t needed = network_.bytes_for(frame.camera(), guides); needed > most) {
    throw InputError("max_memory", "",
                     fmt::format("at least {} MB, for {} on a frame of {}", (needed + 999'999) / 1'000'000,
                                 config().variant, shape_text(usable.height, usable.width)),
                     fmt::format("{} MB", most / 1'000'000));
  }
  network_.prepare(frame.camera(), omp_get_max_threads(), guides);
  network_.set_progress(report);
  network_.run(frame, out);
  network_.set_progress({});
}

}  // namespace

std::unique_ptr<Reconstructor::Method> make_mst_method(const Weights& weights) {
  return std::make_unique<MstMethod>(weights);
}

}  // namespace snapcube
