// Which files are captures, of which wavelength; which are dark, and which belong to one exposure.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <snapcube/calibration.h>
#include <snapcube/error.h>

#include "base/folder.h"
#include "base/text.h"
#include "calibration/capture_list.h"
#include "io/collection.h"
#include "io/input_file.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions = {".mat", ".npy", ".npz", ".h5", ".hdf5", ".hdr", ".tif", ".tiff", ".png"};
constexpr std::uint64_t kMostListBytes = 16 << 20;

bool has_extension(const fs::path& path, const char* extension) {
  return lower(path.extension().string()) == extension;
}

bool is_folder(const std::string& location) {
  std::error_code status;
  return fs::is_directory(location, status);
}

std::vector<ListedFile> read_list(const std::string& path) {
  InputFile file(path);
  const std::vector<std::byte> bytes = file.rest(0, kMostListBytes);
  std::vector<ListedFile> listed = parse_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  for (ListedFile& entry : listed) {
    if (fs::path(entry.file).is_relative()) entry.file = (fs::path(path).parent_path() / entry.file).string();
  }
  return listed;
}

/// "file2" before "file10".
bool in_order(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (digit(a[i]) && digit(b[k])) {
      std::size_t i_end = i;
      std::size_t k_end = k;
      while (i < a.size() && a[i] == '0') ++i;
      while (k < b.size() && b[k] == '0') ++k;
      i_end = i;
      k_end = k;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (k_end < b.size() && digit(b[k_end])) ++k_end;
      if (i_end - i != k_end - k) return i_end - i < k_end - k;
      const int order = a.compare(i, i_end - i, b, k, k_end - k);
      if (order != 0) return order < 0;
      i = i_end;
      k = k_end;
    } else {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i;
      ++k;
    }
  }
  if (a.size() - i != b.size() - k) return a.size() - i < b.size() - k;
  return a < b;
}

struct Folder {
  std::vector<std::string> frames;  ///< in the order of their names
  std::vector<std::string> lists;
};

Folder look_into(const std::string& location, bool raw) {
  std::error_code status;
  Folder result;
  for (const fs::path& path : list_folder(location, status)) {
    std::error_code unknown;
    if (path.filename().string().starts_with('.') || !fs::is_regular_file(path, unknown)) continue;
    const bool known = std::ranges::any_of(kExtensions, [&](const char* e) { return has_extension(path, e); });
    if (has_extension(path, ".csv")) {
      result.lists.push_back(path.string());
    } else if (known || raw) {
      result.frames.push_back(path.string());
    }
  }
  if (status) throw InputError(location, "", "a readable folder", status.message());
  std::ranges::sort(result.frames, in_order);
  std::ranges::sort(result.lists);
  if (result.lists.size() > 1) {
    throw InputError(location, "lists", "at most one .csv", fmt::format("{}", result.lists.size()));
  }
  return result;
}

double checked_wavelength(double nm, const std::string& source, const std::string& field) {
  if (!(nm >= 100 && nm <= 20000)) {
    throw InputError(source, field, "nanometres in 100 … 20000", fmt::format("{:g}", nm));
  }
  return nm;
}

void add_listed(const std::string& list, std::vector<NarrowCapture>& captures) {
  for (const ListedFile& entry : read_list(list)) {
    const auto nm = parse_double(entry.value);
    const std::string field = fmt::format("wavelength in line {}", entry.line);
    if (!nm) throw InputError(list, field, "a number of nanometres", quoted_name(entry.value));
    captures.push_back({entry.file, checked_wavelength(*nm, list, field)});
  }
}

/// Frames of a stack that knows its wavelengths; false where the file has none.
bool add_stack(const std::string& location, std::vector<NarrowCapture>& captures) {
  const std::int64_t frames = count_frames(location);
  if (frames < 2) return false;
  const FileInfo info = describe(location);
  if (info.wavelengths.size() != static_cast<std::size_t>(frames)) {
    throw InputError(location, "wavelengths", fmt::format("one for each of its {} frames", frames),
                     info.wavelengths.empty() ? "none" : std::to_string(info.wavelengths.size()));
  }
  for (std::int64_t i = 0; i < frames; ++i) {
    const bool named =
        location.find(':', location.rfind('/') == std::string::npos ? 0 : location.rfind('/')) != std::string::npos;
    captures.push_back(
        {fmt::format("{}{}[{}]", location, named ? "" : ":", i), info.wavelengths[static_cast<std::size_t>(i)]});
  }
  return true;
}

void add_file(const std::string& location, bool raw, std::vector<NarrowCapture>& captures) {
  if (has_extension(location, ".csv")) return add_listed(location, captures);
  const std::string name = raw ? fs::path(location).stem().string() : stem(location);
  const auto nm = wavelength_in_name(name);
  if (!nm && !raw && add_stack(location, captures)) return;
  if (!nm) {
    throw InputError(location, "name", "a wavelength in it, such as 532nm.png (or a list: a .csv of file,wavelength)",
                     quoted_name(name));
  }
  captures.push_back({location, checked_wavelength(*nm, location, "wavelength in the name")});
}

}  // namespace

std::vector<NarrowCapture> find_captures(const std::vector<std::string>& locations, bool raw) {
  std::vector<NarrowCapture> captures;
  for (const std::string& location : locations) {
    if (!is_folder(location)) {
      add_file(location, raw, captures);
      continue;
    }
    const Folder folder = look_into(location, raw);
    if (!folder.lists.empty()) {
      add_listed(folder.lists.front(), captures);
      continue;
    }
    if (folder.frames.empty()) throw InputError(location, "", "captures such as 532nm.png", "none");
    for (const std::string& frame : folder.frames) add_file(frame, raw, captures);
  }
  std::ranges::stable_sort(captures, {}, &NarrowCapture::wavelength);
  const auto twin = std::ranges::adjacent_find(captures, {}, &NarrowCapture::wavelength);
  if (twin != captures.end()) {
    throw InputError(std::next(twin)->location, "wavelength", "each once",
                     fmt::format("{:g} nm, as {} has", twin->wavelength, twin->location));
  }
  return captures;
}

std::vector<std::string> find_frames(const std::vector<std::string>& locations, bool raw) {
  std::vector<std::string> result;
  for (const std::string& location : locations) {
    if (!is_folder(location)) {
      result.push_back(location);
      continue;
    }
    const Folder folder = look_into(location, raw);
    if (folder.frames.empty()) throw InputError(location, "", "frames", "none");
    result.insert(result.end(), folder.frames.begin(), folder.frames.end());
  }
  return result;
}

std::vector<ExposureFrame> find_exposures(const std::string& location, bool raw) {
  std::vector<ExposureFrame> result;
  const auto add_list = [&](const std::string& list) {
    for (const ListedFile& entry : read_list(list)) result.push_back({entry.file, entry.value});
  };
  if (!is_folder(location)) {
    if (!has_extension(location, ".csv")) {
      throw InputError(location, "", "a folder of frames, or a list (.csv: file,exposure)", "a file");
    }
    add_list(location);
  } else {
    const Folder folder = look_into(location, raw);
    if (!folder.lists.empty()) {
      add_list(folder.lists.front());
    } else {
      for (const std::string& frame : folder.frames) {
        std::string name = raw ? fs::path(frame).stem().string() : stem(frame);
        const auto end = name.find_last_of("_-");
        if (end != std::string::npos && end > 0) name.resize(end);
        result.push_back({frame, name});
      }
    }
  }
  std::ranges::stable_sort(result, in_order, &ExposureFrame::exposure);
  if (result.empty()) throw InputError(location, "", "frames at several exposures", "none");
  return result;
}

}  // namespace snapcube
