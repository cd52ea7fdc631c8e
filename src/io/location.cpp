#include "io/location.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube::io {

namespace fs = std::filesystem;

namespace {

struct Extension {
  std::string_view name;
  const Format& (*format)();
  bool takes_variable;
};

constexpr std::array kExtensions{
    Extension{".mat", mat_format, true},  Extension{".npy", npy_format, true},   Extension{".npz", npz_format, true},
    Extension{".h5", hdf5_format, true},  Extension{".hdf5", hdf5_format, true}, Extension{".hdr", envi_format, false},
    Extension{".tif", tiff_format, true}, Extension{".tiff", tiff_format, true}, Extension{".png", png_format, false},
};

const Extension* find_extension(const std::string& path) {
  const std::string extension = lower(fs::path(path).extension().string());
  for (const Extension& known : kExtensions) {
    if (extension == known.name) return &known;
  }
  return nullptr;
}

[[noreturn]] void refuse_extension(const std::string& path) {
  std::string known;
  for (const Extension& extension : kExtensions) known += fmt::format("{}, ", extension.name);
  const std::string extension = fs::path(path).extension().string();
  throw InputError(path, "extension", known + "or a folder of PNGs",
                   extension.empty() ? "none" : fmt::format("'{}'", extension));
}

/// "pred[3]" → pred, 3. Without brackets, all of it is the name.
void parse_variable(std::string_view text, const std::string& whole, Location& location) {
  const auto bracket = text.find('[');
  location.variable = text.substr(0, bracket);
  if (bracket == std::string_view::npos) {
    if (text.empty()) throw InputError(whole, "variable", "a name after ':'", "nothing");
    return;
  }
  std::string_view index = text.substr(bracket + 1);
  const bool closed = index.ends_with(']');
  if (closed) index.remove_suffix(1);
  location.index = parse_int(index);
  if (!closed || !location.index || *location.index < 0) {
    throw InputError(whole, "variable", "an index such as pred[3]", fmt::format("'{}'", text));
  }
}

}  // namespace

Location parse_location(const std::string& location) {
  Location result;
  for (auto colon = location.find(':'); colon != std::string::npos; colon = location.find(':', colon + 1)) {
    const std::string path = location.substr(0, colon);
    const Extension* extension = find_extension(path);
    if (!extension || !extension->takes_variable) continue;
    result.path = path;
    parse_variable(std::string_view(location).substr(colon + 1), location, result);
    return result;
  }
  result.path = location;
  return result;
}

const Format& format_for_reading(const std::string& path) {
  std::error_code status;
  const Extension* extension = find_extension(path);
  if (!fs::exists(path, status)) throw InputError(path, "no such file");
  if (fs::is_directory(path, status)) {
    if (extension) throw InputError(path, "", fmt::format("a {} file", extension->name), "a folder");
    return png_folder_format();
  }
  if (!extension) refuse_extension(path);
  return extension->format();
}

const Format& format_for_writing(const std::string& path) {
  std::error_code status;
  const fs::path target(path);
  if (path.empty()) throw InputError("the output's name is empty");
  const bool folder = fs::is_directory(target, status);
  if (const Extension* extension = find_extension(path)) {
    if (folder) throw InputError(path, "", fmt::format("a {} file", extension->name), "a folder");
    return extension->format();
  }
  if (folder || !target.has_filename() || !target.has_extension()) return png_folder_format();
  refuse_extension(path);
}

}  // namespace snapcube::io
