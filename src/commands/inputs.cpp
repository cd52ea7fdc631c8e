#include "commands/inputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions = {".mat", ".npy", ".npz", ".h5", ".hdf5", ".hdr", ".tif", ".tiff", ".png"};

bool known(const fs::path& path) {
  return std::ranges::find(kExtensions, lower(path.extension().string())) != kExtensions.end();
}

/// A folder whose files are numbered PNGs (…_07.png).
bool is_band_folder(const fs::path& folder) {
  std::size_t numbered = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) return false;
    const fs::path& path = entry.path();
    if (!known(path)) continue;
    if (lower(path.extension().string()) != ".png") return false;
    const std::string name = path.stem().string();
    numbered += !name.empty() && std::isdigit(static_cast<unsigned char>(name.back()));
  }
  return numbered > 1;
}

}  // namespace

bool is_collection(const std::string& location) {
  std::error_code status;
  return fs::is_directory(location, status) && !is_band_folder(location);
}

std::vector<std::string> collection(const std::string& folder) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    const bool usable = entry.is_directory() ? is_band_folder(entry.path()) : known(entry.path());
    if (usable) result.push_back(entry.path().string());
  }
  if (result.empty()) {
    throw InputError(folder, "", "files of a known format (.mat .npy .npz .h5 .hdr .tif .png) or folders of PNGs",
                     "none");
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
