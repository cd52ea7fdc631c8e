#pragma once
/// From a measurement to a cube, by any method the library has.
///
/// Thread safety: a Reconstructor keeps memory between frames, so one thread may use it at a time; threads that work at
/// the same time have one each. Within a call it uses several threads by itself (OpenMP). methods(),
/// installed_models(), default_models() and default_model() may be called by any thread; add_model_folder() only while
/// no other thread looks for models.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/view.h>

namespace snapcube {

/// Called after every iteration of an iterative method; where one takes long, also while it runs.
struct Progress {
  int iteration;  ///< iterations done
  int total;      ///< most there will be
  /// ‖y − Φx‖ / ‖y‖: how far the cube is from explaining the measurement; nothing where a method does not know it.
  std::optional<double> residual = std::nullopt;
  const Cube* estimate = nullptr;  ///< the cube so far, valid during the call; null where a method has none
};
/// Return false to stop: reconstruct() then throws Interrupted.
using ProgressCallback = std::function<bool(const Progress&)>;

/// A parameter of a method, with its default; what `--set name=value` changes.
struct MethodParameter {
  std::string name;
  std::string default_value;
  std::string description;
};

struct MethodInfo {
  std::string name;   ///< "gap-tv"
  std::string title;  ///< "GAP-TV"
  std::string description;
  std::vector<MethodParameter> parameters;
};

/// All methods that need no model. Reconstructor::open knows these, and models.
const std::vector<MethodInfo>& methods();

/// A trained network that Reconstructor::open knows by its name.
struct ModelInfo {
  std::string name;     ///< "cst-s": its file's name
  std::string path;     ///< of the weights file
  std::string network;  ///< "cst-s": which network it is
  int bands = 0;
  int step = 0;                  ///< pixels from one band to the next
  std::uint64_t parameters = 0;  ///< without hash vectors, which are not trained
  std::uint64_t bytes = 0;       ///< of the file
  std::string error;             ///< why the file cannot be used; empty: it can
};

/// Where models are looked for, in this order: folders that were added here (the last one first), the folder that the
/// environment variable SNAPCUBE_MODELS names, and the installation's, share/snapcube/models beside the library.
void add_model_folder(const std::string& folder);

/// The models in these folders, by name. If two have the same name, the folder that comes first counts.
std::vector<ModelInfo> installed_models();

/// The installed models that are taken where neither a model nor a method is named, best first: the first whose
/// Reconstructor fits the camera, and GAP-TV where none does.
std::vector<std::string> default_models();
/// The first of them, for the published camera; nothing if none is installed.
std::optional<std::string> default_model();

/// Where a network with a sparsity estimator looked closer.
struct SparsityMap {
  Image values;              ///< M_s: the error it expects at each pixel
  std::vector<Region> kept;  ///< the windows that its first attention layer worked on; may reach beyond the frame
};

/// Whose idea of the lamp a cube follows.
enum class LampSide {
  known,   ///< the network's: it explains the measurement well enough, or nobody asked
  relit,   ///< the network's, for the scene without the lamp's lines, which were put back
  solver,  ///< the solver's: its cube was taken
};
std::string to_string(LampSide side);

/// How a network's cube came about.
struct PassReport {
  std::vector<double> misfits;      ///< ‖y − Φx‖ / ‖y‖ after each pass
  int kept = 1;                     ///< the pass whose cube was taken, from 1
  bool refined = false;             ///< whether the solver added what it found in the remainder
  LampSide lamp = LampSide::known;  ///< see there
};

class Reconstructor {
 public:
  using Settings = std::map<std::string, std::string>;

  /// A method's name, a model's name, or the path of a model's weights file (with a '/' or ending in .safetensors).
  /// Models' parameters: passes (a number, or auto), refine (gap-tv, none), scale (auto, sum, max), sparsity,
  /// max_memory (a size such as 800M or 2G). Throws InputError for what is not known, an unknown parameter or a value
  /// that does not fit it; for a weights file with wrong tensors the message lists them all.
  static Reconstructor open(std::string_view method, const Settings& settings = {});
  /// The same, but a model whatever its name.
  static Reconstructor open_model(std::string_view model, const Settings& settings = {});

  ~Reconstructor();
  Reconstructor(Reconstructor&&) noexcept;
  Reconstructor& operator=(Reconstructor&&) noexcept;

  const std::string& method() const;
  /// Bands, step and wavelengths that a model was trained for; those of CameraOptions for methods that take any camera.
  CameraOptions camera_defaults() const;
  /// Whether it is made for this camera: methods for any, networks for the bands, step and axis that they were trained
  /// for, or, where they take any camera (Prism), for many bands over tens of pixels.
  bool fits(const Camera& camera) const;
  /// Changes settings; a model's weights are not read again. All of them or, with InputError, none.
  void configure(const Settings& settings);
  /// All settings as they are now.
  Settings settings() const;
  /// Threads that a reconstruction uses; 0, the default: as many as OpenMP has. The result is the same for all.
  void set_threads(int threads);

  /// Call it for one frame after the other: memory is planned with the first and kept. Throws InputError for sizes that
  /// do not fit the camera.
  Cube reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress = {});
  /// The same into a cube that is kept: it gets the right sizes if it has others. From the second frame of a size on
  /// the engine's networks (CST, MST) allocate nothing, as long as the frame fits into max_memory in one piece.
  void reconstruct(const ImageView& measurement, const Camera& camera, Cube& out,
                   const ProgressCallback& progress = {});
  /// The same into the caller's memory, which must have the camera's sizes. Networks read and write plain rows in
  /// place; rows that are not plain, and the other methods' cubes, are copied once, through memory that is kept.
  void reconstruct(const ImageView& measurement, const Camera& camera, const CubeView& out,
                   const ProgressCallback& progress = {});
  /// Of the last reconstruction; null where the method has none. Valid until the next.
  const SparsityMap* sparsity_map() const;
  /// Of the last reconstruction: the error that the network expects at each pixel, as the mean over the bands of its
  /// absolute value, in the cube's units; null where the method has none. Valid until the next.
  const Image* expected_error() const;
  /// Of the last reconstruction; null for methods that are no networks. Valid until the next.
  const PassReport* passes() const;

  /// What a method implements.
  class Method;

 private:
  explicit Reconstructor(std::unique_ptr<Method> method);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace snapcube
