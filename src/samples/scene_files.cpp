#include "samples/scene_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/collection.h"
#include "io/location.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

/// The files a scene is made of.
std::vector<fs::path> files_of(const std::string& location) {
  const fs::path path = io::parse_location(location).path;
  std::error_code status;
  std::vector<fs::path> files;
  if (fs::is_directory(path, status)) {
    for (fs::recursive_directory_iterator entry(path, status), end; !status && entry != end; entry.increment(status)) {
      std::error_code unknown;
      if (entry->is_regular_file(unknown)) files.push_back(entry->path());
    }
    if (status) throw InputError(path.string(), "", "a readable folder", status.message());
  } else if (lower(path.extension().string()) == ".hdr") {
    // The values lie beside the header, in a file of the same stem.
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, status), end; !status && entry != end; entry.increment(status)) {
      if (entry->path().filename().string().starts_with(path.stem().string())) files.push_back(entry->path());
    }
  } else {
    files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

std::string stamp(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    throw InputError(file.string(), "", "a file that can be read", std::strerror(errno));
  }
  return fmt::format("{} {} {}.{:09}\n", file.filename().string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

}  // namespace

std::vector<SceneFile> find_scenes(const TrainConfig& config) {
  if (config.data.empty()) {
    throw InputError("training configuration", "data", "a folder of scenes, or several", "none");
  }
  std::vector<SceneFile> all;
  for (const std::string& source : config.data) {
    for (const std::string& location : is_collection(source) ? collection(source) : std::vector{source}) {
      all.push_back({location, stem(location)});
    }
  }
  for (const std::string& name : config.exclude) {
    if (std::ranges::find(all, name, &SceneFile::name) == all.end()) {
      throw InputError("training configuration", "exclude", "names of scenes in the data", fmt::format("'{}'", name));
    }
  }
  std::erase_if(all,
                [&](const SceneFile& s) { return std::ranges::find(config.exclude, s.name) != config.exclude.end(); });
  if (all.empty()) {
    throw InputError("training configuration", "exclude", "names of some of the scenes", "the names of all");
  }
  return all;
}

std::string scenes_key(const std::vector<SceneFile>& scenes, const ModelConfig& model) {
  std::string key = fmt::format("{} bands, linear, at [{}] nm\n", model.bands, fmt::join(model.wavelengths, ", "));
  for (const SceneFile& scene : scenes) {
    key += fmt::format("scene {}\n", fs::path(scene.location).filename().string());
    for (const fs::path& file : files_of(scene.location)) key += stamp(file);
  }
  return key;
}

}  // namespace snapcube
