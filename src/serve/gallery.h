#pragma once
// What a viewer shows: cubes and images, by number. Everything is a cube here; an image is one of a single band.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/error.h>
#include <snapcube/reconstructor.h>

#include "render/linear_colour.h"
#include "serve/lazy.h"

namespace snapcube {

enum class Role { cube, truth, measurement, mask, reconstruction, screening, expected };
std::string to_string(Role role);

/// One thing to look at. Copies share the values.
struct Source {
  std::string name;
  Role role = Role::cube;
  std::shared_ptr<const Cube> cube;
  double minimum = 0;
  double maximum = 0;
  /// A power of two that brings the largest magnitude into (0.5, 1]: what 16-bit floats hold well.
  float unit = 1;
  /// Counts how often the values were replaced.
  int version = 0;
  /// Linear sRGB, for cubes with wavelengths.
  std::shared_ptr<Lazy<LinearColour>> colour;
};

struct Reconstruction {
  Cube cube;
  double seconds = 0;
  std::optional<SparsityMap> sparsity = std::nullopt;  ///< where a network looked closer
  std::optional<Image> expected_error = std::nullopt;  ///< how far off a network expects to be
};

/// A method bound to a measurement and a camera. `sigma` is the share of windows that are left out; methods without
/// screening pay no heed to it. Called by one thread at a time.
using Reconstruct = std::function<Reconstruction(std::optional<double> sigma)>;

/// Peak signal-to-noise ratio and structural similarity of each band, toolbox protocol.
struct BandScores {
  std::vector<double> psnr;
  std::vector<double> ssim;
};

/// What is told beside the newest frame of a camera that runs.
struct LiveState {
  std::string frame;  ///< name of the newest
  std::int64_t cubes = 0;
  double per_second = 0;
  double latency = 0;  ///< median, in seconds
  std::size_t waiting = 0;
  std::int64_t dropped = 0;
  std::int64_t passed_over = 0;
};

/// Values of a source that were replaced meanwhile are asked for.
class Outdated : public InputError {
 public:
  using InputError::InputError;
};

class Gallery {
 public:
  /// Throws InputError for an empty cube. Returns the source's number.
  int add(std::string name, Role role, Cube cube);
  int add(std::string name, Role role, const Image& image);

  /// Adds what the method makes of its measurement, and its sparsity map and expected error where there are any; the
  /// method is then kept for reconstruct_again.
  int add_model(const std::string& name, Reconstruct method, std::optional<double> sigma);

  /// From now on frames come: pages wait for them.
  void go_live();
  struct Fresh {
    std::string name;
    Role role;
    Cube cube;
  };
  /// The newest frame takes the place of the one before: each becomes the source of its role. The values before are
  /// kept until the next, for pages that are still fetching them.
  void show(std::vector<Fresh> fresh, LiveState state);
  /// Nothing where no frames come.
  std::optional<LiveState> live() const;
  /// Counts what was shown.
  std::uint64_t news() const;
  /// Waits until more was shown than `after`, no longer than `most` and while `go_on` says yes.
  void wait_for_news(std::uint64_t after, std::chrono::milliseconds most, const std::function<bool()>& go_on) const;

  int size() const;
  /// The source as it is now; nothing if there is none of that number.
  std::optional<Source> source(int id) const;
  /// With the values of a version: the present, or the one before. Throws Outdated for any other.
  std::optional<Source> source(int id, int version) const;
  /// The number of the first source of that role, or −1.
  int find(Role role) const;

  struct Model {
    std::string name;
    int source = -1;
    int screening = -1;  ///< number of the source that holds M_s, or −1
    int expected = -1;   ///< number of the source that holds the expected error, or −1
    std::optional<double> sigma;
    double seconds = 0;
    std::vector<Region> kept;
  };
  std::optional<Model> model() const;
  /// Runs the model at another σ and replaces its sources. Throws InputError where there is no σ to set.
  void reconstruct_again(double sigma);

  /// Mean over bands of |a − b|. Both must have the same shape.
  std::shared_ptr<const Image> mean_error(const Source& a, const Source& b, int id_a, int id_b);
  /// Both must have the same shape. `go_on` is asked before every band; Interrupted if it says no.
  BandScores scores(const Source& a, const Source& b, int id_a, int id_b, const std::function<bool()>& go_on);

 private:
  /// Two sources and their versions.
  using Pair = std::tuple<int, int, int, int>;
  void replace(int id, Cube cube);

  mutable std::mutex mutex_;  ///< guards everything below but running_
  std::vector<Source> sources_;
  std::map<int, Source> before_;  ///< the version before, by number
  std::optional<LiveState> live_;
  std::uint64_t news_ = 0;
  mutable std::condition_variable shown_;
  std::optional<Model> model_;
  Reconstruct method_;
  std::map<Pair, std::shared_ptr<Lazy<std::shared_ptr<const Image>>>> errors_;
  std::map<Pair, std::shared_ptr<Lazy<BandScores>>> scores_;
  std::mutex running_;  ///< held while the model runs
};

/// True if the two can be compared value by value.
bool same_shape(const Cube& a, const Cube& b);

}  // namespace snapcube
