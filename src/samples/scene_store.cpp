#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <omp.h>
#include <thread>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>
#include <snapcube/spectrum.h>

#include "base/text.h"
#include "samples/sample_maker.h"
#include "samples/scene_cache.h"
#include "samples/scene_files.h"

namespace snapcube {

namespace {

/// Scenes read at the same time. Each needs several times its own size while it is read, and the formats that have many
/// files a scene read those in parallel.
constexpr int kMostReaders = 4;

struct Scene {
  std::string name;
  int height = 0;
  int width = 0;
  std::size_t size = 0;
  std::unique_ptr<std::uint16_t[]> values;

  std::uint64_t bytes() const { return size * sizeof(std::uint16_t); }
};

Scene to_16_bits(const Cube& cube, const SceneFile& file) {
  Scene scene{file.name, cube.height(), cube.width(), cube.size(),
              std::make_unique_for_overwrite<std::uint16_t[]>(cube.size())};
  const auto size = static_cast<std::int64_t>(cube.size());
  std::int64_t above = 0;
  std::int64_t below = 0;
#pragma omp parallel for reduction(+ : above, below)
  for (std::int64_t i = 0; i < size; ++i) {
    const float v = cube.data()[i];
    above += v > 1;
    below += v < 0;
    scene.values[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(std::clamp(v, 0.0f, 1.0f) * 65535.0f + 0.5f);
  }
  const auto share = [&](std::int64_t n) { return 100.0 * static_cast<double>(n) / static_cast<double>(size); };
  const float most = above > 0 ? *std::ranges::max_element(cube.values()) : 1.0f;
  if (2 * above > size) {
    throw InputError(file.location, "values", "numbers in [0,1]",
                     fmt::format("{:.3g} % of them above 1, the largest {}", share(above), most));
  }
  if (above > 0) {
    log_warning(fmt::format("{}: {:.2g} % of the values are above 1 and clipped (largest: {})", file.location,
                            share(above), most));
  }
  if (below > 0) {
    log_warning(fmt::format("{}: {:.2g} % of the values are negative and set to 0", file.location, share(below)));
  }
  return scene;
}

class MemoryStore : public SceneStore {
 public:
  MemoryStore(std::vector<Scene> scenes, int bands) : scenes_(std::move(scenes)), bands_(bands) {}

  std::size_t count() const override { return scenes_.size(); }
  int bands() const override { return bands_; }
  const std::string& name(std::size_t scene) const override { return scenes_[scene].name; }
  int height(std::size_t scene) const override { return scenes_[scene].height; }
  int width(std::size_t scene) const override { return scenes_[scene].width; }
  const std::uint16_t* values(std::size_t scene) const override { return scenes_[scene].values.get(); }

 private:
  std::vector<Scene> scenes_;
  int bands_;
};

/// Takes scenes in any order: into memory until they exceed the limit, from then on into the cache, those in memory
/// too.
class Gathering {
 public:
  Gathering(std::size_t count, int bands, std::uint64_t limit, std::string cache)
      : scenes_(count), bands_(bands), limit_(limit), cache_(std::move(cache)) {}

  void add(std::size_t number, Scene scene) {
    const std::lock_guard lock(mutex_);
    bytes_ += scene.bytes();
    scenes_[number] = std::move(scene);
    if (!writer_ && bytes_ > limit_) {
      log_info(fmt::format("scenes: more than {:.2f} GB, kept in {}", gigabytes(limit_), cache_));
      writer_ = std::make_unique<SceneCacheWriter>(cache_, bands_, scenes_.size());
      for (std::size_t i = 0; i < scenes_.size(); ++i) move_to_cache(i);
    } else if (writer_) {
      move_to_cache(number);
    }
    ++added_;
    if (added_ * 10 / scenes_.size() > (added_ - 1) * 10 / scenes_.size()) {
      log_info(fmt::format("scenes: {} of {} read, {:.2f} GB", added_, scenes_.size(), gigabytes(bytes_)));
    }
  }

  std::unique_ptr<SceneStore> finish(const std::string& key) {
    if (!writer_) return std::make_unique<MemoryStore>(std::move(scenes_), bands_);
    writer_->commit(key);
    auto store = open_scene_cache(cache_, key, bands_);
    if (!store) throw Error(fmt::format("{}: was written, but cannot be read", cache_));
    return store;
  }

 private:
  static double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

  void move_to_cache(std::size_t number) {
    Scene& scene = scenes_[number];
    if (!scene.values) return;
    writer_->add(number, scene.name, scene.height, scene.width, scene.values.get());
    scene.values.reset();
  }

  std::mutex mutex_;
  std::vector<Scene> scenes_;
  int bands_;
  std::uint64_t limit_;
  std::string cache_;
  std::uint64_t bytes_ = 0;
  std::size_t added_ = 0;
  std::unique_ptr<SceneCacheWriter> writer_;
};

void read_all(const std::vector<SceneFile>& files, const TrainConfig& config, Gathering& gathering) {
  const int cores = config.threads > 0 ? config.threads : std::max(1, omp_get_num_procs());
  const int readers = std::min({cores, kMostReaders, static_cast<int>(files.size())});
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(files.size());
  const auto read = [&] {
    omp_set_num_threads(std::max(1, cores / readers));
    for (std::size_t i = next++; i < files.size(); i = next++) {
      try {
        gathering.add(i, to_16_bits(read_scene(files[i].location, config.model), files[i]));
      } catch (...) {
        errors[i] = std::current_exception();
        next = files.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < readers; ++i) threads.emplace_back(read);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace

void check_scene_sizes(const SceneStore& scenes, int height, int width) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> small;
  for (std::size_t i = 0; i < scenes.count(); ++i) {
    if (scenes.height(i) >= height && scenes.width(i) >= width) continue;
    small.push_back(fmt::format("{} ({})", scenes.name(i), shape_text(scenes.height(i), scenes.width(i))));
  }
  if (small.empty()) return;
  const std::size_t more = small.size() > kNamed ? small.size() - kNamed : 0;
  small.resize(small.size() - more);
  throw InputError("training data", "size", fmt::format("scenes of at least {}, the crop", shape_text(height, width)),
                   fmt::format("{}{}", fmt::join(small, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

std::unique_ptr<SceneStore> open_scenes(const TrainConfig& config, const std::string& run_folder) {
  check(config.model);
  const std::vector<SceneFile> files = find_scenes(config);
  const std::string key = scenes_key(files, config.model);
  const std::string cache =
      config.cache.empty() ? (std::filesystem::path(run_folder) / "scenes.cache").string() : config.cache;
  auto store = open_scene_cache(cache, key, config.model.bands);
  if (store) {
    log_info(fmt::format("scenes: {} mapped from {}", store->count(), cache));
  } else {
    Gathering gathering(files.size(), config.model.bands, config.memory_limit, cache);
    read_all(files, config, gathering);
    store = gathering.finish(key);
  }
  check_scene_sizes(*store, config.sample_height(), config.sample_width());
  return store;
}

}  // namespace snapcube
