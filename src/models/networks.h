#pragma once
// Every network there is, by name. A network is a file in models/networks/ that describes it (layers, input, loss,
// schedule) and one in nets/ that computes it; both announce themselves, and nothing else names them.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/layer_list.h"
#include "models/model_config.h"

namespace snapcube {

/// What a network computes from, beside weights. `shifted` is the measurement times 2/bands, shifted back: bands × H ×
/// W.
enum class InputForm {
  shifted_and_mask,    ///< shifted, and the mask
  shifted,             ///< shifted alone
  shifted_times_mask,  ///< shifted, times the mask
  shifted_and_masks,   ///< shifted, and Φ: the mask at each band's place on the detector, bands × H × W'
  detector,            ///< the measurement times 2/bands, H × W'
  detector_and_masks,  ///< that, and Φ
};
std::string_view text(InputForm form);

struct NetworkInfo {
  std::string name;         ///< "hdnet": what --model takes and a weights file says
  std::string title;        ///< "HDNet"
  std::string description;  ///< in one line
  int year = 2022;          ///< lists are in this order
  InputForm input = InputForm::shifted;
  /// How it is trained unless options say otherwise.
  struct Schedule {
    std::string loss = "root of the mean square";
    double learning_rate = 4e-4;
    int batch = 5;
    int crop = 256;
  } schedule = {};
  /// Height and width of a frame inside the network: multiples of this,
  int size_multiple = 1;
  /// or exactly this; 0: any.
  int only_size = 0;
  /// Whether the engine runs it; libtorch runs all.
  bool in_engine = false;
  /// It takes any camera, not only the one of its configuration; of that only the number of bands inside is its own.
  bool any_camera = false;
  /// Learned from each measurement by itself: it needs no weights.
  bool self_supervised = false;
  /// The tensor of a weights file one of whose extents is the number of bands.
  struct BandsAt {
    std::string tensor;
    std::size_t axis = 0;
  } bands_at = {};
  std::function<void(LayerList&, const ModelConfig&, Extent frame)> describe = {};
};

/// All but CST, in the order of lists. CST is described by its ModelConfig (models/cst_parameters.h,
/// models/cst_cost.h).
const std::vector<NetworkInfo>& other_networks();
/// Null for CST and for what is not known.
const NetworkInfo* find_network(std::string_view name);
/// As papers write it: "HDNet", "CST-L*".
std::string network_title(const std::string& name);
/// Names that --model takes: CST's variants and all others.
std::vector<std::string> network_names();
/// The configuration of a name; throws InputError, listing the names, when there is none.
ModelConfig network_config(std::string_view name);

/// Tensors of a weights file, in the order of published ones; hash vectors of CST last.
std::vector<NetworkTensor> network_tensors(const ModelConfig& config);
/// One entry a layer, for a frame of height × width.
std::vector<LayerCost> network_cost(const ModelConfig& config, int height, int width);

/// A network's file makes one of these at its end.
struct AnnounceNetwork {
  explicit AnnounceNetwork(NetworkInfo info);
};

}  // namespace snapcube
