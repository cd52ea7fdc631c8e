// A folder of PNGs, one a band: names that share a prefix and end in a number, sorted by it. In the
// naming of the CAVE data set, <scene>_ms_NN.png, the number tells the wavelength: 390 + 10·NN nm.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/atomic_file.h"
#include "base/folder.h"
#include "base/parallel.h"
#include "base/text.h"
#include "io/format.h"
#include "io/png.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCaveEnding = "_ms_";
double cave_wavelength(std::int64_t number) { return 390.0 + 10.0 * static_cast<double>(number); }

struct BandName {
  std::string prefix;
  std::int64_t number = 0;
};

/// "apples_ms_07.png" → {"apples_ms_", 7}; nothing where no number ends the name.
std::optional<BandName> band_name(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto last = stem.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string::npos ? 0 : last + 1;
  const auto number = parse_int(std::string_view(stem).substr(digits));
  if (!number) return std::nullopt;
  return BandName{stem.substr(0, digits), *number};
}

struct Listing {
  std::vector<fs::path> pngs;
  std::vector<fs::path> folders;
};

Listing list(const fs::path& folder) {
  Listing listing;
  std::error_code status;
  for (const fs::path& path : list_folder(folder, status)) {
    if (path.filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) listing.folders.push_back(path);
    if (fs::is_regular_file(path, unknown) && lower(path.extension().string()) == ".png") {
      listing.pngs.push_back(path);
    }
  }
  if (status) throw InputError(folder.string(), "", "a readable folder", status.message());
  std::ranges::sort(listing.pngs);
  std::ranges::sort(listing.folders);
  return listing;
}

/// The PNGs of a folder, or of the only folder in it: the data set is packed as
/// x_ms/x_ms/x_ms_01.png.
std::vector<fs::path> pngs_of(const std::string& path) {
  const Listing outer = list(path);
  if (!outer.pngs.empty()) return outer.pngs;
  if (outer.folders.size() == 1) {
    Listing inner = list(outer.folders[0]);
    if (!inner.pngs.empty()) return inner.pngs;
  }
  throw InputError(path, "", "a folder of PNGs, one a band",
                   outer.folders.size() > 1 ? fmt::format("{} folders", outer.folders.size()) : "no PNG in it");
}

struct Band {
  std::string path;
  std::int64_t number = 0;
  PngHeader header;

  std::string name() const { return fs::path(path).filename().string(); }
};

struct Bands {
  std::vector<Band> bands;  ///< by number
  bool cave = false;
};

Bands find_bands(const std::string& path) {
  std::map<std::string, std::vector<Band>> groups;
  std::vector<std::string> unnumbered;
  for (const fs::path& png : pngs_of(path)) {
    if (const auto name = band_name(png)) {
      groups[name->prefix].push_back({png.string(), name->number, {}});
    } else {
      unnumbered.push_back(png.filename().string());
    }
  }
  if (groups.empty()) {
    throw InputError(path, "names", "PNGs whose names end in a number", unnumbered.front());
  }
  if (groups.size() > 1) {
    std::vector<std::string> found;
    for (const auto& [prefix, bands] : groups) found.push_back(prefix + "*.png");
    throw InputError(path, "names", "one numbered series of PNGs", fmt::format("{}", fmt::join(found, ", ")));
  }
  if (!unnumbered.empty()) {
    log_info(
        fmt::format("{}: left out, because there is no number in the name: {}", path, fmt::join(unnumbered, ", ")));
  }
  auto& [prefix, bands] = *groups.begin();
  std::ranges::sort(bands, {}, &Band::number);
  for (std::size_t i = 1; i < bands.size(); ++i) {
    const std::int64_t gap = bands[i].number - bands[i - 1].number;
    if (gap == 0) {
      throw InputError(path, "names", "each number once",
                       fmt::format("{} and {}", bands[i - 1].name(), bands[i].name()));
    }
    if (gap > 1) {
      log_warning(fmt::format("{}: no band between {} and {}", path, bands[i - 1].name(), bands[i].name()));
    }
  }
  return {std::move(bands), prefix.ends_with(kCaveEnding)};
}

/// Every band like the first.
void check_alike(const Bands& folder) {
  const Band& first = folder.bands.front();
  for (const Band& band : folder.bands) {
    const PngHeader& a = first.header;
    const PngHeader& b = band.header;
    if (a.height != b.height || a.width != b.width || a.type != b.type || a.logical != b.logical) {
      throw InputError(band.path, "size", fmt::format("{}, as in {}", a.text(), first.name()), b.text());
    }
  }
}

/// A text that every band has or none; `read` gives it.
template <typename Read>
bool all_have(const Bands& folder, const char* what, Read read) {
  const Band& first = folder.bands.front();
  for (const Band& band : folder.bands) {
    if (read(band).has_value() != read(first).has_value()) {
      throw InputError(band.path, fmt::format("text snapcube:{}", what),
                       fmt::format("in every band or in none ({})", first.name()),
                       read(band) ? "one here" : "none here");
    }
  }
  return read(first).has_value();
}

std::vector<double> wavelengths_of(const Bands& folder) {
  const bool stored = all_have(folder, "wavelength", [](const Band& b) { return b.header.wavelength; });
  std::vector<double> wavelengths;
  if (stored || (folder.cave && folder.bands.front().number >= 0)) {
    for (const Band& band : folder.bands) {
      wavelengths.push_back(stored ? *band.header.wavelength : cave_wavelength(band.number));
    }
  }
  return wavelengths;
}

std::optional<double> scale_of(const Bands& folder) {
  if (!all_have(folder, "scale", [](const Band& b) { return b.header.scale; })) return std::nullopt;
  const Band& first = folder.bands.front();
  for (const Band& band : folder.bands) {
    if (*band.header.scale != *first.header.scale) {
      throw InputError(band.path, "text snapcube:scale", fmt::format("{}, as in {}", *first.header.scale, first.name()),
                       fmt::format("{}", *band.header.scale));
    }
  }
  return first.header.scale;
}

std::vector<std::int64_t> shape_of(const Bands& folder) {
  const PngHeader& h = folder.bands.front().header;
  return {static_cast<std::int64_t>(folder.bands.size()), h.height, h.width};
}

Bands open_folder(const std::string& path, const ReadOptions& options) {
  Bands folder = find_bands(path);
  for (Band& band : folder.bands) band.header = PngReader(band.path, options).header();
  check_alike(folder);
  return folder;
}

/// Numbers NN for which 390 + 10·NN are the wavelengths; nothing where they do not lie on that
/// grid.
std::optional<std::vector<int>> cave_numbers(const std::vector<double>& wavelengths) {
  std::vector<int> numbers;
  for (const double w : wavelengths) {
    if (!(w >= cave_wavelength(1) && w <= cave_wavelength(99))) return std::nullopt;
    const int number = static_cast<int>(std::lround((w - 390) / 10));
    if (std::fabs(cave_wavelength(number) - w) > 1e-9) return std::nullopt;
    if (!numbers.empty() && number <= numbers.back()) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

/// Writing replaces the folder as a whole, so it must hold nothing but bands.
void check_replaceable(const std::string& path) {
  std::error_code status;
  if (!fs::is_directory(path, status)) return;
  for (const fs::path& file : list_folder(path, status)) {
    std::error_code unknown;
    const bool is_band =
        fs::is_regular_file(file, unknown) && lower(file.extension().string()) == ".png" && band_name(file).has_value();
    if (!is_band) {
      throw Error(
          fmt::format("{}: cannot replace this folder: {} in it is not a band", path, file.filename().string()));
    }
  }
  if (status) throw Error(fmt::format("{}: cannot look into it: {}", path, status.message()));
}

/// File names of the bands of a new folder, and whether they tell the wavelengths.
std::pair<std::vector<std::string>, bool> new_names(const fs::path& target, const SaveRequest& request) {
  std::string stem = (target.has_filename() ? target : target.parent_path()).filename().string();
  if (stem.ends_with("_ms")) stem.erase(stem.size() - 3);
  std::vector<std::string> names;
  if (const auto numbers = cave_numbers(request.wavelengths)) {
    for (const int number : *numbers) names.push_back(fmt::format("{}_ms_{:02}.png", stem, number));
    return {names, true};
  }
  const int digits = request.bands > 99 ? static_cast<int>(std::to_string(request.bands).size()) : 2;
  for (int b = 1; b <= request.bands; ++b) {
    names.push_back(fmt::format("{}_{:0{}}.png", stem, b, digits));
  }
  return {names, false};
}

class PngFolderFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    const Bands folder = open_folder(path, options);
    return {path,
            folder.cave ? "PNG folder (CAVE)" : "PNG folder",
            {{"", shape_of(folder), folder.bands.front().header.type_name(), true}},
            wavelengths_of(folder)};
  }

  StoredArray load(const std::string& path, const std::string&, const ReadOptions& options) const override {
    Bands folder = open_folder(path, options);
    const PngHeader first = folder.bands.front().header;
    const std::size_t size = element_size(first.type);
    StoredArray array;
    array.shape = shape_of(folder);
    array.layout = CubeLayout::bands_height_width;
    array.type = first.type;
    array.logical = first.logical;
    array.bytes.resize(size * checked_elements(array.shape, size, options.max_bytes, path, "size"));
    const std::size_t plane = array.bytes.size() / folder.bands.size();
    parallel_for(static_cast<std::int64_t>(folder.bands.size()), [&](std::int64_t i) {
      PngReader reader(folder.bands[i].path, options);
      reader.read_pixels(std::span(array.bytes).subspan(i * plane, plane));
      folder.bands[i].header = reader.header();
    });
    check_alike(folder);
    if (std::ranges::any_of(folder.bands, [](const Band& b) { return b.header.has_alpha; })) {
      log_info(fmt::format("{}: transparency is left out", path));
    }
    array.wavelengths = wavelengths_of(folder);
    if (!array.logical) array.scale = scale_of(folder);
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    if (request.bands <= 0) {
      throw InputError(path, "", "a cube: an image goes into a single file, such as a .png", "an image");
    }
    const int bits = png_bits(request.type, path);
    check_replaceable(path);
    SaveRequest integers = request;
    integers.type = bits == 8 ? SampleType::u8 : SampleType::u16;
    const Serialised elements = serialise(integers, ElementOrder::bands_rows_columns);
    const std::size_t plane = elements.bytes.size() / request.bands;
    const auto [names, tell_wavelengths] = new_names(path, request);
    AtomicFolder folder(path);
    parallel_for(request.bands, [&, &file_names = names, &in_names = tell_wavelengths](std::int64_t b) {
      std::vector<PngText> texts{{"snapcube:scale", fmt::format("{}", elements.scale)}};
      if (!in_names && !request.wavelengths.empty()) {
        texts.push_back({"snapcube:wavelength", fmt::format("{}", request.wavelengths[b])});
      }
      write_png_file({elements.bytes.data() + b * plane, request.height, request.width, 1, bits}, texts,
                     (folder.path() / file_names[b]).string(), path);
    });
    folder.commit();
  }
};

}  // namespace

const Format& png_folder_format() {
  static const PngFolderFormat format;
  return format;
}

}  // namespace snapcube::io
