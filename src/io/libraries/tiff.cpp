// TIFF: pages and samples are bands. Written so that ImageJ shows a stack: one page a band,
// uncompressed.

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/atomic_file.h"
#include "io/byte_order.h"
#include "io/format.h"
#include "io/input_file.h"
#include "io/libraries/formats.h"
#include "io/libraries/tiff_file.h"
#include "io/libraries/tiff_pages.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

/// "r" without mapping the file into memory: a file that shrinks meanwhile gives an error, not a
/// signal.
constexpr const char* kReadMode = "rm";

/// The rectangles a page is stored in: strips or tiles.
struct Blocks {
  bool tiled = false;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint64_t row_bytes = 0;

  std::uint64_t bytes() const { return row_bytes * height; }
};

Blocks blocks_of(TIFF* tiff, const TiffPage& page, std::uint64_t max_bytes, const std::string& path) {
  Blocks blocks;
  blocks.tiled = TIFFIsTiled(tiff) != 0;
  if (blocks.tiled) {
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blocks.height);
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blocks.width);
    blocks.row_bytes = TIFFTileRowSize64(tiff);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &blocks.height);
    blocks.height = std::min(blocks.height, page.height);
    blocks.width = page.width;
    blocks.row_bytes = TIFFScanlineSize64(tiff);
  }
  if (blocks.height == 0 || blocks.width == 0 || blocks.row_bytes == 0 ||
      blocks.row_bytes > max_bytes / blocks.height) {
    throw InputError(path, blocks.tiled ? "tile size" : "rows per strip",
                     fmt::format("blocks of 1 to {} bytes", max_bytes),
                     fmt::format("{} rows of {} bytes", blocks.height, blocks.row_bytes));
  }
  const std::uint64_t bits = page.logical ? 1 : 8 * element_size(page.type);
  const std::uint64_t samples = page.separate ? 1 : page.samples;
  if (blocks.row_bytes != (blocks.width * samples * bits + 7) / 8) {
    throw InputError(path, "row", fmt::format("{} values of {} bits", blocks.width * samples, bits),
                     fmt::format("{} bytes", blocks.row_bytes));
  }
  return blocks;
}

/// Reads the pages of a file, one after the other, into planes.
class PageReader {
 public:
  PageReader(TiffFile& file, const TiffPages& pages, const std::string& path)
      : file_(file), pages_(pages), page_(pages.page), path_(path) {}

  /// Fills kept·height·width elements from the current page.
  void read(std::byte* to) {
    TIFF* tiff = file_.handle();
    std::uint16_t photometric = 0;
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) && photometric == PHOTOMETRIC_YCBCR) {
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    blocks_ = blocks_of(tiff, page_, pages_.max_block_bytes, path_);
    buffer_.resize(blocks_.bytes());
    // A warning about a page is harmless (unknown tags); one while values are unpacked is damage.
    file_.clear_warning();
    const int planes = page_.separate ? page_.kept : 1;
    for (int plane = 0; plane < planes; ++plane) {
      const auto s = static_cast<std::uint16_t>(plane);
      for (std::uint64_t y = 0; y < page_.height; y += blocks_.height) {
        for (std::uint64_t x = 0; x < page_.width; x += blocks_.width) {
          read_block(static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x), s);
          scatter(static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x), s, to);
        }
      }
    }
  }

 private:
  void read_block(std::uint32_t y, std::uint32_t x, std::uint16_t sample) {
    TIFF* tiff = file_.handle();
    const std::uint32_t rows = blocks_.tiled ? blocks_.height : std::min(blocks_.height, page_.height - y);
    const auto bytes = static_cast<tmsize_t>(rows * blocks_.row_bytes);
    const std::uint32_t index =
        blocks_.tiled ? TIFFComputeTile(tiff, x, y, 0, sample) : TIFFComputeStrip(tiff, y, sample);
    const tmsize_t got = blocks_.tiled ? TIFFReadEncodedTile(tiff, index, buffer_.data(), bytes)
                                       : TIFFReadEncodedStrip(tiff, index, buffer_.data(), bytes);
    if (got != bytes || !file_.error().empty() || !file_.warning().empty()) fail_tiff(file_, path_);
  }

  /// The block at (y, x) of the buffer to its place in the planes.
  void scatter(std::uint32_t y0, std::uint32_t x0, std::uint16_t sample, std::byte* to) const {
    const std::size_t size = element_size(page_.type);
    const std::size_t plane = std::size_t{page_.height} * page_.width * size;
    const std::uint32_t rows = std::min(blocks_.height, page_.height - y0);
    const std::uint32_t columns = std::min(blocks_.width, page_.width - x0);
    const std::size_t stride = (page_.separate ? 1 : page_.samples) * size;
    const int samples_here = page_.separate ? 1 : page_.kept;
    for (std::uint32_t y = 0; y < rows; ++y) {
      const std::byte* row = buffer_.data() + y * blocks_.row_bytes;
      std::byte* out = to + sample * plane + (std::size_t{y0 + y} * page_.width + x0) * size;
      if (page_.logical) {
        for (std::uint32_t x = 0; x < columns; ++x) out[x] = (row[x / 8] >> (7 - x % 8)) & std::byte{1};
      } else if (stride == size) {
        std::memcpy(out, row, columns * size);
      } else {
        for (int s = 0; s < samples_here; ++s) {
          for (std::uint32_t x = 0; x < columns; ++x) {
            std::memcpy(out + s * plane + x * size, row + x * stride + s * size, size);
          }
        }
      }
    }
  }

  TiffFile& file_;
  const TiffPages& pages_;
  const TiffPage& page_;
  const std::string& path_;
  Blocks blocks_;
  std::vector<std::byte> buffer_;
};

/// Planes that follow each other from the first strip on, with one page for all of them.
void read_contiguous(TiffFile& file, const TiffPages& pages, InputFile& input, const std::string& path,
                     std::vector<std::byte>& to) {
  TIFF* tiff = file.handle();
  std::uint64_t next = TIFFGetStrileOffset(tiff, 0);
  const std::uint64_t start = next;
  for (std::uint32_t i = 0; i < TIFFNumberOfStrips(tiff); ++i) {
    if (TIFFGetStrileOffset(tiff, i) != next || TIFFIsTiled(tiff) || pages.page.samples != 1) {
      throw InputError(path, "pages", fmt::format("{}, as the description says", pages.planes), "1");
    }
    next += TIFFGetStrileByteCount(tiff, i);
  }
  input.read(start, to.data(), to.size());
  if (TIFFIsByteSwapped(tiff)) reverse_bytes(to, element_size(pages.page.type));
}

/// White is zero: v → largest − v, which for unsigned integers is ~v.
void invert(std::vector<std::byte>& bytes, bool logical) {
  for (std::byte& b : bytes) b ^= logical ? std::byte{1} : std::byte{0xff};
}

/// What ImageJ wants to know of a stack, and our own lines.
std::string description(const SaveRequest& request, const Serialised& elements) {
  std::string text = "ImageJ=1.53k\n";
  if (request.bands > 1) {
    text += fmt::format("images={0}\nslices={0}\nloop=false\n", request.bands);
  }
  if (is_integer(elements.type)) {
    text += fmt::format("{}={}\n", kTiffScaleKey, elements.scale);
  } else {
    // The range that ImageJ displays; without it the first band decides.
    const auto [low, high] = std::minmax_element(request.values, request.values + request.count());
    text += fmt::format("min={}\nmax={}\n", static_cast<double>(*low), static_cast<double>(*high));
  }
  if (!request.wavelengths.empty()) {
    text += fmt::format("{}={}\n", kTiffWavelengthsKey, fmt::join(request.wavelengths, ","));
  }
  return text;
}

/// Tags in which ImageJ keeps what its description has no place for; private to it.
constexpr std::uint32_t kImageJByteCounts = 50838;
constexpr std::uint32_t kImageJMetadata = 50839;

/// Labels of a stack's planes, "500 nm", as ImageJ stores them: a header with the kind and number of the entries, then
/// the entries in UTF-16; the lengths of all of that are in the other tag. Little-endian, as the file is.
bool write_labels(TIFF* tiff, const std::vector<double>& wavelengths) {
  static const TIFFFieldInfo fields[] = {{kImageJByteCounts, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_LONG, FIELD_CUSTOM, 1,
                                          1, const_cast<char*>("ImageJByteCounts")},
                                         {kImageJMetadata, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1,
                                          1, const_cast<char*>("ImageJMetadata")}};
  if (TIFFMergeFieldInfo(tiff, fields, 2) != 0) return false;
  std::vector<std::uint32_t> lengths;
  std::string bytes =
      "JIJI"
      "lbal";
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(static_cast<std::uint32_t>(wavelengths.size()) >> shift & 0xff);
  }
  lengths.push_back(static_cast<std::uint32_t>(bytes.size()));
  for (const double wavelength : wavelengths) {
    const std::string label = fmt::format("{} nm", wavelength);
    for (const char c : label) {
      bytes += c;
      bytes += '\0';
    }
    lengths.push_back(static_cast<std::uint32_t>(2 * label.size()));
  }
  return TIFFSetField(tiff, kImageJByteCounts, static_cast<std::uint32_t>(lengths.size()), lengths.data()) &&
         TIFFSetField(tiff, kImageJMetadata, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

/// Writes the current page's tags and its only strip.
bool write_page(TIFF* tiff, const SaveRequest& request, ElementType type, std::span<std::byte> plane) {
  const bool is_float = !is_integer(type);
  return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(request.width)) &&
         TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(request.height)) &&
         TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * element_size(type))) &&
         TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1) &&
         TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT) &&
         TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
         TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE) &&
         TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
         TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(request.height)) &&
         TIFFWriteEncodedStrip(tiff, 0, plane.data(), static_cast<tmsize_t>(plane.size())) ==
             static_cast<tmsize_t>(plane.size()) &&
         TIFFWriteDirectory(tiff);
}

class TiffFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    InputFile input(path);
    TiffFile file(path, kReadMode, options.max_bytes);
    const TiffPages pages = survey_pages(file, input, path, options);
    const std::string type = pages.page.logical ? "logical" : element_name(pages.page.type);
    return {path, "TIFF", {{"", pages.shape(), type, true}}, pages.wavelengths};
  }

  StoredArray load(const std::string& path, const std::string&, const ReadOptions& options) const override {
    InputFile input(path);
    TiffFile file(path, kReadMode, options.max_bytes);
    const TiffPages pages = survey_pages(file, input, path, options);
    const TiffPage& page = pages.page;
    StoredArray array;
    array.shape = pages.shape();
    array.type = page.type;
    array.logical = page.logical;
    array.layout = pages.bands() == 1 ? CubeLayout::automatic : CubeLayout::bands_height_width;
    array.custom = CubeLayout::bands_height_width;
    array.scale = pages.scale;
    array.wavelengths = pages.wavelengths;
    const std::size_t size = element_size(page.type);
    array.bytes.resize(size * checked_elements(array.shape, size, options.max_bytes, path, "size"));
    if (page.kept != page.samples) log_info(fmt::format("{}: transparency is left out", path));

    if (!TIFFSetDirectory(file.handle(), 0)) fail_tiff(file, path);
    if (pages.contiguous) {
      for (std::size_t i = 0; !pages.used[i]; ++i) TIFFReadDirectory(file.handle());
      read_contiguous(file, pages, input, path, array.bytes);
    } else {
      read_pages(file, pages, path, array.bytes);
    }
    if (page.white_is_zero) invert(array.bytes, page.logical);
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    Serialised elements = serialise(request, ElementOrder::bands_rows_columns);
    const int planes = request.planes();
    const std::size_t plane = elements.bytes.size() / planes;
    // Offsets of a plain TIFF have 32 bits; tags of a page take less than 1 kB.
    const bool big =
        elements.bytes.size() + 1024 * (std::uint64_t{1} + planes) + 32 * request.wavelengths.size() > UINT32_MAX;
    AtomicFile target(path);
    TiffFile file(target.path().string(), big ? "w8" : "w", UINT64_MAX);
    bool good = file.handle() != nullptr &&
                TIFFSetField(file.handle(), TIFFTAG_IMAGEDESCRIPTION, description(request, elements).c_str());
    if (good && !request.wavelengths.empty()) good = write_labels(file.handle(), request.wavelengths);
    for (int b = 0; good && b < planes; ++b) {
      good = write_page(file.handle(), request, elements.type, std::span(elements.bytes).subspan(b * plane, plane));
    }
    file.close();
    if (!good || !file.error().empty()) {
      throw Error(fmt::format("{}: cannot write: {}", path, file.error()));
    }
    target.commit();
  }

 private:
  static void read_pages(TiffFile& file, const TiffPages& pages, const std::string& path, std::vector<std::byte>& to) {
    const std::size_t plane = to.size() / static_cast<std::size_t>(pages.planes);
    PageReader reader(file, pages, path);
    std::byte* next = to.data();
    for (std::size_t i = 0; i < pages.used.size(); ++i) {
      if (i > 0 && !TIFFReadDirectory(file.handle())) fail_tiff(file, path);
      if (!pages.used[i]) continue;
      reader.read(next);
      next += plane;
    }
  }
};

}  // namespace

const Format& libraries::tiff_format() {
  static const TiffFormat format;
  return format;
}

}  // namespace snapcube::io
