// ENVI: a text header (.hdr) and, beside it, a file of raw values.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "io/byte_order.h"
#include "io/envi_header.h"
#include "io/format.h"
#include "io/input_file.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxHeaderBytes = 64u << 20;

void require_hdr(const std::string& path) {
  if (lower(fs::path(path).extension().string()) != ".hdr") {
    throw InputError(path, "", "the name of an ENVI header, ending in .hdr", "another name");
  }
}

/// The files beside a header that may hold its values: for cube.hdr cube, cube.raw, …; for
/// cube.raw.hdr cube.raw.
std::vector<std::string> data_files(const std::string& path) {
  const fs::path base = fs::path(path).replace_extension();
  std::vector<std::string> found;
  for (const char* extension :
       {"", ".raw", ".img", ".dat", ".bsq", ".bil", ".bip", ".RAW", ".IMG", ".DAT", ".BSQ", ".BIL", ".BIP"}) {
    const std::string candidate = base.string() + extension;
    std::error_code status;
    if (fs::is_regular_file(candidate, status)) found.push_back(candidate);
  }
  return found;
}

std::string file_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(fs::path(path).filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The data file, whose size is exactly what the header says. A size that differs, be it larger,
/// means that the header states wrong extents, and then bil and bip come out scrambled: no warning
/// would do.
std::string data_file(const std::string& path, std::uint64_t expected) {
  std::vector<std::string> candidates = data_files(path);
  if (candidates.empty()) {
    throw InputError(path, "data file",
                     "one beside the header, with its name and no extension, .raw, .img, .dat, "
                     ".bsq, .bil or .bip",
                     "none");
  }
  if (candidates.size() == 1) {
    const std::uint64_t size = InputFile(candidates[0]).size();
    if (size != expected) {
      throw InputError(candidates[0], "size", fmt::format("{} bytes, as its header says", expected),
                       fmt::format("{}", size));
    }
    return candidates[0];
  }
  const std::string names = file_names(candidates);
  std::erase_if(candidates, [&](const std::string& c) { return InputFile(c).size() != expected; });
  if (candidates.size() != 1) {
    throw InputError(path, "data file", fmt::format("one of {} bytes beside the header", expected), names);
  }
  return candidates[0];
}

/// A header whose data file is there and long enough.
struct Opened {
  EnviHeader header;
  std::string data;
  std::vector<std::int64_t> shape;  ///< in the order of the file
  CubeLayout layout = CubeLayout::automatic;
  std::uint64_t bytes = 0;
};

Opened open_envi(const std::string& path, const ReadOptions& options) {
  require_hdr(path);
  InputFile file(path);
  if (file.size() > std::min(kMaxHeaderBytes, options.max_bytes)) {
    throw InputError(path, "", "a text header", fmt::format("a file of {} bytes", file.size()));
  }
  const std::vector<std::byte> bytes = file.first(file.size());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());

  Opened opened;
  EnviHeader& h = opened.header = parse_envi_header(text, path);
  if (h.bands == 1) {
    opened.shape = {h.lines, h.samples};
  } else if (h.interleave == EnviInterleave::bsq) {
    opened.shape = {h.bands, h.lines, h.samples};
    opened.layout = CubeLayout::bands_height_width;
  } else if (h.interleave == EnviInterleave::bil) {
    opened.shape = {h.lines, h.bands, h.samples};
    opened.layout = CubeLayout::height_bands_width;
  } else {
    opened.shape = {h.lines, h.samples, h.bands};
    opened.layout = CubeLayout::height_width_bands;
  }
  const std::size_t size = element_size(h.type);
  opened.bytes = size * checked_elements(opened.shape, size, options.max_bytes, path, "size");
  const auto offset = static_cast<std::uint64_t>(h.offset);
  if (offset > UINT64_MAX - opened.bytes) {
    throw InputError(path, "header offset", "a place inside the file", fmt::format("{}", h.offset));
  }
  opened.data = data_file(path, offset + opened.bytes);
  return opened;
}

template <typename T>
void divide_each(std::vector<std::byte>& bytes, double divisor) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    value = static_cast<T>(value / divisor);
    std::memcpy(bytes.data() + i, &value, sizeof(T));
  }
}

ElementOrder order_of(EnviInterleave interleave) {
  switch (interleave) {
    case EnviInterleave::bil:
      return ElementOrder::rows_bands_columns;
    case EnviInterleave::bip:
      return ElementOrder::rows_columns_bands;
    case EnviInterleave::bsq:
      break;
  }
  return ElementOrder::bands_rows_columns;
}

/// Where the values of a new header go: <stem>.raw, or over the data file that the old header has.
/// Any other candidate beside would make the pair ambiguous.
std::string data_target(const std::string& path) {
  const std::vector<std::string> present = data_files(path);
  std::error_code status;
  std::string raw = fs::path(path).replace_extension(".raw").string();
  if (present.empty()) return raw;
  if (present.size() == 1 && (present[0] == raw || fs::exists(path, status))) return present[0];
  throw Error(fmt::format("{}: cannot write: {} beside it would be taken for its values; remove it", path,
                          file_names(present)));
}

class EnviFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    const Opened opened = open_envi(path, options);
    return {path,
            fmt::format("ENVI ({})", interleave_name(opened.header.interleave)),
            {{"", opened.shape, element_name(opened.header.type), true}},
            opened.header.wavelengths};
  }

  StoredArray load(const std::string& path, const std::string&, const ReadOptions& options) const override {
    Opened opened = open_envi(path, options);
    const EnviHeader& h = opened.header;
    StoredArray array;
    array.shape = opened.shape;
    array.type = h.type;
    array.layout = opened.layout;
    array.wavelengths = h.wavelengths;
    array.bytes.resize(opened.bytes);
    InputFile(opened.data).read(static_cast<std::uint64_t>(h.offset), array.bytes.data(), opened.bytes);
    if (h.big_endian != kNativeIsBigEndian) reverse_bytes(array.bytes, element_size(h.type));
    if (h.reflectance_scale) {
      if (is_integer(h.type)) {
        array.scale = largest_integer(h.type) / *h.reflectance_scale;
      } else if (h.type == ElementType::f32) {
        divide_each<float>(array.bytes, *h.reflectance_scale);
      } else {
        divide_each<double>(array.bytes, *h.reflectance_scale);
      }
    }
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    require_hdr(path);
    const std::string target = data_target(path);
    const Serialised elements = serialise(request, order_of(request.options.interleave));
    EnviHeader header;
    header.samples = request.width;
    header.lines = request.height;
    header.bands = request.planes();
    header.type = elements.type;
    header.interleave = request.options.interleave;
    header.big_endian = kNativeIsBigEndian;
    header.wavelengths = request.wavelengths;
    if (is_integer(elements.type)) header.reflectance_scale = largest_integer(elements.type) / elements.scale;
    const std::string text = envi_header_text(header);
    AtomicFile data(target);
    AtomicFile hdr(path);
    data.write(elements.bytes.data(), elements.bytes.size());
    hdr.write(text.data(), text.size());
    data.commit();
    hdr.commit();
  }
};

}  // namespace

const Format& envi_format() {
  static const EnviFormat format;
  return format;
}

}  // namespace snapcube::io
