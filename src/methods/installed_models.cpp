#include "methods/installed_models.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

#include <snapcube/error.h>
#include <snapcube/reconstructor.h>

#include "models/any_weights.h"
#include "models/cst_parameters.h"

namespace snapcube {

namespace fs = std::filesystem;

namespace {

/// The better one first, by held-out scenes: models/*.md.
constexpr std::array kPreferred = {"cst-s", "prism-s"};

std::vector<fs::path>& added_folders() {
  static std::vector<fs::path> folders;
  return folders;
}

/// The folder of the library that this code is in; empty where nobody knows.
fs::path library_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&added_folders), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

/// Folders that may hold models, the first one first.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders(added_folders().rbegin(), added_folders().rend());
  if (const char* own = std::getenv("SNAPCUBE_MODELS"); own && *own) folders.emplace_back(own);
  if (const fs::path folder = library_folder(); !folder.empty()) {
    folders.push_back((folder / SNAPCUBE_DATA_FROM_LIBRARY / "models").lexically_normal());
  }
  return folders;
}

ModelInfo info_of(const fs::path& file) {
  ModelInfo info;
  info.name = file.stem().string();
  info.path = file.string();
  std::error_code ignored;
  info.bytes = fs::file_size(file, ignored);
  try {
    const Weights weights = read_any_weights(info.path).weights;
    info.network = weights.config.variant;
    info.bands = weights.config.bands;
    info.step = weights.config.step;
    for (const auto& [name, tensor] : weights.tensors) {
      if (!is_hash_tensor(name)) info.parameters += tensor.values.size();
    }
  } catch (const InputError& error) {
    info.error = error.what();
  }
  return info;
}

}  // namespace

std::optional<std::string> find_model(std::string_view name, std::vector<std::string>& tried) {
  for (const fs::path& folder : model_folders()) {
    const fs::path file = folder / (std::string(name) + std::string(kWeightsExtension));
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file.string();
    tried.push_back(file.string());
  }
  return std::nullopt;
}

void add_model_folder(const std::string& folder) { added_folders().emplace_back(folder); }

std::vector<ModelInfo> installed_models() {
  std::vector<ModelInfo> models;
  for (const fs::path& folder : model_folders()) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() != kWeightsExtension || !at->is_regular_file(error)) continue;
      const std::string name = at->path().stem().string();
      const bool hidden = std::ranges::any_of(
          models, [&](const ModelInfo& m) { return m.name == name && fs::path(m.path).parent_path() != folder; });
      if (!hidden) models.push_back(info_of(at->path()));
    }
  }
  std::ranges::sort(models, {}, &ModelInfo::name);
  return models;
}

std::vector<std::string> default_models() {
  std::vector<std::string> tried;
  std::vector<std::string> models;
  for (const char* name : kPreferred) {
    if (find_model(name, tried)) models.emplace_back(name);
  }
  return models;
}

std::optional<std::string> default_model() {
  const std::vector<std::string> models = default_models();
  return models.empty() ? std::nullopt : std::optional(models.front());
}

}  // namespace snapcube
