#include "commands/white_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include <snapcube/camera_file.h>
#include <snapcube/error.h>

#include "base/text.h"
#include "commands/options.h"

namespace snapcube {

namespace {

/// Nothing in it has three dimensions.
bool is_capture(const std::string& location, const ReadOptions& read) {
  const FileInfo info = describe(location, read);
  return std::ranges::none_of(info.arrays, [](const ArrayInfo& array) {
    return std::ranges::count_if(array.shape, [](std::int64_t n) { return n > 1; }) > 2;
  });
}

bool may_be_camera(const std::string& path) { return path.ends_with(".h5") && is_camera_file(path); }

}  // namespace

void WhiteFlags::add_to(CLI::App& command) {
  const char* group = "Reflectance";
  CLI::Option* white =
      command
          .add_option("--white", file_,
                      "divide by what a white target gives in each band: a cube of it, a capture of it "
                      "in the same units, or a camera file with band gains")
          ->group(group);
  command.add_option("--white-region", region_, "TOP,LEFT,HEIGHT,WIDTH of the target in its cube (default: all of it)")
      ->needs(white)
      ->group(group);
  command.add_option("--white-reflectance", reflectance_, "the target's own reflectance")
      ->capture_default_str()
      ->check(CLI::Range(1e-6, 10.0))
      ->needs(white)
      ->group(group);
}

std::vector<std::string> WhiteFlags::arguments() const {
  if (!given()) return {};
  std::vector<std::string> words = {"--white", file_, "--white-reflectance", fmt::format("{}", reflectance_)};
  if (!region_.empty()) words.insert(words.end(), {"--white-region", region_});
  return words;
}

WhiteReference WhiteFlags::reference(const ReadOptions& read, bool headerless,
                                     const std::function<Cube(const std::string& capture)>& reconstruct) const {
  const auto region = region_.empty() ? std::nullopt : std::optional(parse_region(region_, "--white-region"));
  if (!headerless && may_be_camera(file_)) {
    const CameraFile camera = read_camera(file_, read);
    if (camera.band_gains.empty()) throw InputError(file_, "band_gains", "one for each band", "none");
    return {camera.band_gains, camera.wavelengths, reflectance_, file_};
  }
  if (headerless || is_capture(file_, read)) {
    if (!reconstruct) throw InputError(file_, "", "a cube of a white target, or a camera file", "a capture");
    return WhiteReference(reconstruct(file_), region, reflectance_, file_);
  }
  return WhiteReference(read_cube(file_, read), region, reflectance_, file_);
}

}  // namespace snapcube
