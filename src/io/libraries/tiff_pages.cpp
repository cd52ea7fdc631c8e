#include "io/libraries/tiff_pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "io/byte_order.h"

namespace snapcube::io {

namespace {

template <typename T>
T tag(TIFF* tiff, std::uint32_t which, T otherwise) {
  T value = otherwise;
  return TIFFGetFieldDefaulted(tiff, which, &value) ? value : otherwise;
}

ElementType element_type(std::uint16_t bits, std::uint16_t format, const std::string& path) {
  const bool is_signed = format == SAMPLEFORMAT_INT;
  if (format == SAMPLEFORMAT_IEEEFP) {
    if (bits == 16) return ElementType::f16;
    if (bits == 32) return ElementType::f32;
    if (bits == 64) return ElementType::f64;
  } else if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID || is_signed) {
    if (bits == 8) return is_signed ? ElementType::i8 : ElementType::u8;
    if (bits == 16) return is_signed ? ElementType::i16 : ElementType::u16;
    if (bits == 32) return is_signed ? ElementType::i32 : ElementType::u32;
    if (bits == 64) return is_signed ? ElementType::i64 : ElementType::u64;
  }
  const char* kind = "complex numbers";
  if (format == SAMPLEFORMAT_IEEEFP) kind = "floats";
  if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) kind = "unsigned integers";
  if (is_signed) kind = "signed integers";
  throw InputError(path, "samples", "integers of 1, 8, 16, 32 or 64 bits or floats of 16, 32 or 64",
                   fmt::format("{} of {} bits", kind, bits));
}

/// Decides by the colour space whether samples can be taken as they are.
void check_photometric(TIFF* tiff, TiffPage& page, const std::string& path) {
  const auto photometric = tag<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  const auto refuse = [&](const std::string& found) {
    throw InputError(path, "colour space", "grey, RGB or plain bands", found);
  };
  switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_SEPARATED:
    case PHOTOMETRIC_MASK:
      return;
    case PHOTOMETRIC_MINISWHITE:
      if (page.type != ElementType::u8 && page.type != ElementType::u16 && page.type != ElementType::u32 &&
          page.type != ElementType::u64) {
        refuse(fmt::format("white as zero with {}", element_name(page.type)));
      }
      page.white_is_zero = true;
      return;
    case PHOTOMETRIC_YCBCR:
      if (page.compression != COMPRESSION_JPEG) refuse("YCbCr");
      return;
    case PHOTOMETRIC_PALETTE:
      refuse("a palette");
      return;
    default:
      refuse(fmt::format("photometric interpretation {}", photometric));
  }
}

TiffPage current_page(TIFF* tiff, const std::string& path) {
  TiffPage page;
  page.width = tag<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
  page.height = tag<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
  page.samples = tag<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  page.separate =
      tag<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE && page.samples > 1;
  page.compression = tag<std::uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  const auto bits = tag<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  const auto format = tag<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  page.logical = bits == 1 && page.samples == 1;
  page.type = page.logical ? ElementType::u8 : element_type(bits, format, path);
  if (page.width == 0 || page.height == 0 || page.samples == 0) {
    throw InputError(path, "size", "a size above 0", page.text());
  }
  check_photometric(tiff, page, path);

  page.kept = page.samples;
  std::uint16_t extra_count = 0;
  const std::uint16_t* extra = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extra)) {
    // Alpha comes last; "unspecified" extra samples are how bands beyond the third are marked.
    while (extra_count > 0 && page.kept > 1 && extra[extra_count - 1] != EXTRASAMPLE_UNSPECIFIED) {
      --extra_count;
      --page.kept;
    }
  }
  if (const auto orientation = tag<std::uint16_t>(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
      orientation != ORIENTATION_TOPLEFT) {
    log_warning(fmt::format("{}: orientation {} is not applied", path, orientation));
  }
  return page;
}

/// Planes that a description says follow the only page: ImageJ's "images=28", or tifffile's
/// {"shape": [28, 16, 17], "truncated": true}. 1 where it says nothing.
std::int64_t described_planes(const std::string& description, const std::map<std::string, std::string>& lines,
                              const TiffPage& page, const std::string& path) {
  if (description.starts_with("ImageJ=")) {
    const auto images = lines.find("images");
    if (images == lines.end()) return 1;
    const auto count = parse_int(images->second);
    if (!count || *count < 1) {
      throw InputError(path, "description", "a number of images", images->second);
    }
    return *count;
  }
  const auto json = nlohmann::json::parse(description, nullptr, false);
  if (!json.is_object() || json.value("truncated", nlohmann::json()) != true) return 1;
  const auto shape = json.value("shape", nlohmann::json());
  double elements = 1;
  for (const auto& extent : shape) elements *= extent.is_number() ? extent.get<double>() : 0;
  const double planes = elements / page.samples / page.height / page.width;
  if (!shape.is_array() || !(planes >= 1 && planes < 1e9) ||
      planes != static_cast<double>(static_cast<std::int64_t>(planes))) {
    throw InputError(path, "description", fmt::format("whole planes of {}", page.text()), shape.dump().substr(0, 40));
  }
  return static_cast<std::int64_t>(planes);
}

/// "key=value" lines.
std::map<std::string, std::string> description_lines(const std::string& description) {
  std::map<std::string, std::string> lines;
  for (const std::string& line : split(description, '\n')) {
    if (const auto equals = line.find('='); equals != std::string::npos) {
      lines.emplace(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
    }
  }
  return lines;
}

void take_description(const std::string& description, std::size_t pages, TiffPages& result, const std::string& path) {
  const auto lines = description_lines(description);
  const std::int64_t described = described_planes(description, lines, result.page, path);
  const auto found = static_cast<std::int64_t>(pages);
  result.planes = found;
  if (described > found) {
    if (found != 1 || result.page.compression != COMPRESSION_NONE || result.page.logical) {
      throw InputError(path, "pages", fmt::format("{}, as the description says", described), fmt::format("{}", found));
    }
    result.planes = described;
    result.contiguous = true;
  }
  if (const auto scale = lines.find(kTiffScaleKey); scale != lines.end()) {
    const double value = positive_number(scale->second, path, kTiffScaleKey);
    if (is_integer(result.page.type) && !result.page.logical) result.scale = value;
  }
  if (const auto list = lines.find(kTiffWavelengthsKey); list != lines.end()) {
    for (const std::string& text : split(list->second, ',')) {
      result.wavelengths.push_back(positive_number(text, path, kTiffWavelengthsKey));
    }
    if (static_cast<std::int64_t>(result.wavelengths.size()) != result.bands()) {
      throw InputError(path, kTiffWavelengthsKey, fmt::format("{} values", result.bands()),
                       fmt::format("{}", result.wavelengths.size()));
    }
  }
}

/// How much smaller than its values a file can be at most; 0 where that is not known.
std::uint64_t largest_ratio(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_LZW:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_PACKBITS:
      return 4096;
    default:
      return 0;
  }
}

void check_sizes(TiffPages& pages, std::uint64_t file_bytes, const std::string& path, const ReadOptions& options) {
  const TiffPage& page = pages.page;
  const std::size_t size = element_size(page.type);
  checked_elements(pages.shape(), size, options.max_bytes, path, "size");
  const std::vector<std::int64_t> stored{pages.planes, page.samples, page.height, page.width};
  const std::uint64_t bytes =
      size * checked_elements(stored, size, options.max_bytes, path, "size") / (page.logical ? 8 : 1);
  const std::uint64_t ratio = largest_ratio(page.compression);
  pages.max_block_bytes = options.max_bytes;
  if (ratio != 0) pages.max_block_bytes = std::min(options.max_bytes, ratio * file_bytes);
  if (ratio != 0 && bytes / ratio > file_bytes) {
    throw InputError(path, "size", fmt::format("a file long enough for {} pages of {}", pages.planes, page.text()),
                     fmt::format("{} bytes", file_bytes));
  }
}

/// Whether the list of tags of the current page ends inside the file, with the place that tells
/// where the next page is. libtiff takes a file that is cut off just there for one whose pages end.
bool is_complete(TIFF* tiff, InputFile& input) {
  const std::uint64_t start = TIFFCurrentDirOffset(tiff);
  const bool swapped = TIFFIsByteSwapped(tiff) != 0;
  const bool big = TIFFIsBigTIFF(tiff) != 0;
  // Classic: 2 bytes of count, 12 a tag, 4 for the next page. BigTIFF: 8, 20, 8.
  std::array<std::byte, 8> count{};
  const std::size_t count_bytes = big ? 8 : 2;
  input.read(start, count.data(), count_bytes);
  if (swapped) reverse_bytes(std::span(count).first(count_bytes), count_bytes);
  std::uint64_t tags = 0;
  if (big) {
    std::memcpy(&tags, count.data(), sizeof(tags));
  } else {
    std::uint16_t small = 0;
    std::memcpy(&small, count.data(), sizeof(small));
    tags = small;
  }
  const std::uint64_t left = input.size() - start - count_bytes;
  return tags <= left / (big ? 20 : 12) && tags * (big ? 20 : 12) + (big ? 8 : 4) <= left;
}

}  // namespace

std::string TiffPage::text() const {
  return fmt::format("{}, {} sample{} of {}{}", shape_text(height, width), samples, samples == 1 ? "" : "s",
                     logical ? "one bit" : element_name(type), white_is_zero ? ", white is zero" : "");
}

std::vector<std::int64_t> TiffPages::shape() const {
  if (bands() == 1) return {page.height, page.width};
  return {bands(), page.height, page.width};
}

void fail_tiff(const TiffFile& file, const std::string& path) {
  std::string reason = file.error().empty() ? file.warning() : file.error();
  if (reason.empty()) reason = "no reason given";
  throw InputError(path, "", "a complete TIFF file", fmt::format("one that libtiff refuses: {}", reason));
}

TiffPages survey_pages(TiffFile& file, InputFile& input, const std::string& path, const ReadOptions& options) {
  TIFF* tiff = file.handle();
  if (!tiff) fail_tiff(file, path);
  TiffPages result;
  std::string description;
  std::size_t first = 0;
  std::size_t count = 0;
  while (true) {
    const auto kind = tag<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE, 0);
    const bool used = (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
    result.used.push_back(used);
    if (used) {
      TiffPage page = current_page(tiff, path);
      const std::size_t number = result.used.size();
      if (count++ == 0) {
        first = number;
        result.page = page;
        const char* text = nullptr;
        if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text) description = text;
      }
      // Compression may differ; the ratio that is checked below is then the more generous one.
      const auto most = [](std::uint16_t c) { return largest_ratio(c) - 1; };
      if (most(page.compression) > most(result.page.compression)) {
        result.page.compression = page.compression;
      }
      page.compression = result.page.compression;
      if (page != result.page) {
        throw InputError(path, fmt::format("page {}", number),
                         fmt::format("{}, as on page {}", result.page.text(), first), page.text());
      }
    }
    if (!is_complete(tiff, input)) {
      throw InputError(path, fmt::format("page {}", result.used.size()), "all of its tags", "the end of the file");
    }
    if (TIFFLastDirectory(tiff)) break;
    if (!TIFFReadDirectory(tiff)) fail_tiff(file, path);
  }
  if (count == 0) throw InputError(path, "pages", "an image", "thumbnails and masks only");
  take_description(description, count, result, path);
  check_sizes(result, input.size(), path, options);
  return result;
}

}  // namespace snapcube::io
