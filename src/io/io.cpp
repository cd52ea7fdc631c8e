#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/choose.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/location.h"

namespace snapcube {

using namespace io;

namespace {

struct Chosen {
  StoredArray array;
  Selection selection;
};

Chosen load(const std::string& text, Meaning meaning, const ReadOptions& options) {
  const Location location = parse_location(text);
  const Format& format = format_for_reading(location.path);
  const std::string name = choose_array(format.describe(location.path, options), location, meaning);
  return {format.load(location.path, name, options), {location.path, name, location.index}};
}

/// What MATLAB accepts, which NumPy and HDF5 accept as well.
void check_variable(const std::string& path, const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool good = name.size() <= 63 && letter(name.front()) &&
                    std::ranges::all_of(name, [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); });
  if (!good) {
    throw InputError(path, "variable", "a letter, then at most 62 letters, digits and underscores",
                     fmt::format("'{}'", name));
  }
  if (name == "wavelengths") {
    throw InputError(path, "variable", "another name (the wavelengths are stored under this one)", "'wavelengths'");
  }
}

void save(SaveRequest request, const std::string& text, const char* usual_name, const WriteOptions& options) {
  const Location location = parse_location(text);
  if (location.index) throw InputError(text, "variable", "a name without an index", "an index");
  request.variable = !options.variable.empty()    ? options.variable
                     : !location.variable.empty() ? location.variable
                                                  : usual_name;
  check_variable(location.path, request.variable);
  if (request.height == 0 || request.width == 0) {
    throw InputError(location.path, "", "something to write", "an empty array");
  }
  const std::size_t count = request.count();
  const auto bad = std::count_if(request.values, request.values + count, [](float v) { return !std::isfinite(v); });
  if (bad > 0) {
    throw InputError(location.path, "", "finite values to write",
                     fmt::format("{} of {} that are NaN or infinite", bad, count));
  }
  request.type = options.type;
  request.options = options;
  format_for_writing(location.path).save(request, location.path);
}

}  // namespace

Cube read_cube(const std::string& location, const ReadOptions& options) {
  const Chosen chosen = load(location, Meaning::cube, options);
  return to_cube(chosen.array, chosen.selection, options);
}

Image read_measurement(const std::string& location, const ReadOptions& options) {
  const Chosen chosen = load(location, Meaning::measurement, options);
  return to_image(chosen.array, Meaning::measurement, chosen.selection, options);
}

Image read_mask(const std::string& location, const ReadOptions& options) {
  const Chosen chosen = load(location, Meaning::mask, options);
  return to_image(chosen.array, Meaning::mask, chosen.selection, options);
}

void write(const Cube& cube, const std::string& path, const WriteOptions& options) {
  if (!cube.empty() && !cube.wavelengths.empty() && cube.wavelengths.size() != static_cast<std::size_t>(cube.bands())) {
    throw InputError(path, "wavelengths", fmt::format("one for each of {} bands", cube.bands()),
                     fmt::format("{}", cube.wavelengths.size()));
  }
  save(save_request(cube), path, "cube", options);
}

void write_measurement(const Image& measurement, const std::string& path, const WriteOptions& options) {
  save(save_request(measurement), path, "meas", options);
}

void write_mask(const Image& mask, const std::string& path, const WriteOptions& options) {
  save(save_request(mask), path, "mask", options);
}

FileInfo describe(const std::string& text, const ReadOptions& options) {
  const Location location = parse_location(text);
  FileInfo info = format_for_reading(location.path).describe(location.path, options);
  if (!location.variable.empty()) {
    std::erase_if(info.arrays, [&](const ArrayInfo& array) { return array.name != location.variable; });
    if (info.arrays.empty()) {
      throw InputError(location.path, "", fmt::format("a variable '{}'", location.variable), "none of that name");
    }
  }
  return info;
}

}  // namespace snapcube
