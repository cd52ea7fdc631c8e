// A PNG file as a measurement or a mask.

#include "io/png.h"

#include <array>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/atomic_file.h"
#include "io/format.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

class PngFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    const PngReader reader(path, options);
    const PngHeader& h = reader.header();
    FileInfo info{path, "PNG", {{"", {h.height, h.width}, h.type_name(), true}}, {}};
    if (h.wavelength) info.wavelengths = {*h.wavelength};
    return info;
  }

  StoredArray load(const std::string& path, const std::string&, const ReadOptions& options) const override {
    PngReader reader(path, options);
    const PngHeader& h = reader.header();
    StoredArray array;
    array.shape = {h.height, h.width};
    array.type = h.type;
    array.logical = h.logical;
    array.bytes.resize(static_cast<std::size_t>(h.height) * h.width * element_size(h.type));
    reader.read_pixels(array.bytes);
    if (h.has_alpha) log_info(fmt::format("{}: transparency is left out", path));
    if (!h.logical) array.scale = h.scale;
    if (h.wavelength) array.wavelengths = {*h.wavelength};
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    if (request.bands > 0) {
      throw InputError(path, "", "an image: a cube goes into a folder of PNGs, a .tif or another cube format",
                       fmt::format("a cube of {} bands", request.bands));
    }
    const int bits = png_bits(request.type, path);
    SaveRequest integers = request;
    integers.type = bits == 8 ? SampleType::u8 : SampleType::u16;
    const Serialised elements = serialise(integers, ElementOrder::bands_rows_columns);
    const std::array texts{PngText{"snapcube:scale", fmt::format("{}", elements.scale)}};
    AtomicFile file(path);
    write_png_file({elements.bytes.data(), request.height, request.width, 1, bits}, texts, file.path().string(), path);
    file.commit();
  }
};

}  // namespace

const Format& png_format() {
  static const PngFormat format;
  return format;
}

}  // namespace snapcube::io
