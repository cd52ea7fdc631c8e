#include "io/collection.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <snapcube/error.h>

#include "base/folder.h"
#include "base/text.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions = {".mat", ".npy", ".npz", ".h5", ".hdf5", ".hdr", ".tif", ".tiff", ".png"};

bool known(const fs::path& path) {
  return std::ranges::find(kExtensions, lower(path.extension().string())) != kExtensions.end();
}

std::vector<fs::directory_entry> entries(const fs::path& folder) {
  std::vector<fs::directory_entry> result;
  std::error_code status;
  for (const fs::path& path : list_folder(folder, status)) {
    std::error_code unknown;
    if (!path.filename().string().starts_with('.')) result.emplace_back(path, unknown);
  }
  if (status) throw InputError(folder.string(), "", "a readable folder", status.message());
  return result;
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code status;
  return entry.is_directory(status);
}

/// A folder whose files are numbered PNGs (…_07.png).
bool is_band_folder(const fs::path& folder) {
  std::size_t numbered = 0;
  for (const auto& entry : entries(folder)) {
    if (is_folder(entry)) return false;
    const fs::path& path = entry.path();
    if (!known(path)) continue;
    if (lower(path.extension().string()) != ".png") return false;
    const std::string name = path.stem().string();
    numbered += !name.empty() && std::isdigit(static_cast<unsigned char>(name.back()));
  }
  return numbered > 1;
}

/// A folder of bands, or one around it: CAVE is packed as x_ms/x_ms/x_ms_01.png.
bool is_scene_folder(const fs::path& folder) {
  if (is_band_folder(folder)) return true;
  const auto inside = entries(folder);
  return inside.size() == 1 && is_folder(inside.front()) && is_band_folder(inside.front().path());
}

}  // namespace

bool is_collection(const std::string& location) {
  std::error_code status;
  return fs::is_directory(location, status) && !is_band_folder(location);
}

std::vector<std::string> collection(const std::string& folder) {
  std::vector<std::string> result;
  for (const auto& entry : entries(folder)) {
    const bool usable = is_folder(entry) ? is_scene_folder(entry.path()) : known(entry.path());
    if (usable) result.push_back(entry.path().string());
  }
  if (result.empty()) {
    throw InputError(folder, "", "files of a known format (.mat .npy .npz .h5 .hdr .tif .png) or folders of PNGs",
                     "none");
  }
  std::ranges::sort(result);
  return result;
}

bool has_known_extension(const std::string& name) { return known(name); }

std::vector<std::string> frame_files(const std::string& folder, bool any) {
  std::vector<std::string> result;
  for (const auto& entry : entries(folder)) {
    if (!is_folder(entry) && (any || known(entry.path()))) result.push_back(entry.path().string());
  }
  if (result.empty()) {
    throw InputError(folder, "", any ? "files" : "files of a known format (.mat .npy .npz .h5 .hdr .tif .png)", "none");
  }
  std::ranges::sort(result);
  return result;
}

std::string stem(const std::string& location) {
  fs::path path = location;
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  // The variable after "file.mat:" is not part of the name.
  for (const char* extension : kExtensions) {
    const auto at = lower(name).find(std::string(extension) + ":");
    if (at != std::string::npos) return name.substr(0, at);
  }
  return known(path) ? path.stem().string() : name;
}

}  // namespace snapcube
