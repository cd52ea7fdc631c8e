#pragma once
// What the pages of a TIFF file are, before any pixel is read.

#include <optional>
#include <string>
#include <vector>

#include "io/format.h"
#include "io/input_file.h"
#include "io/libraries/tiff_file.h"

namespace snapcube::io {

struct TiffPage {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint16_t samples = 1;  ///< values of a pixel, alpha among them
  std::uint16_t kept = 1;     ///< without alpha
  ElementType type = ElementType::u8;
  bool logical = false;  ///< one bit a pixel
  bool white_is_zero = false;
  bool separate = false;  ///< sample after sample, instead of pixel after pixel
  std::uint16_t compression = COMPRESSION_NONE;

  /// "16×17, 3 samples of uint16"
  std::string text() const;
  bool operator==(const TiffPage&) const = default;
};

struct TiffPages {
  TiffPage page;            ///< what all of them are like
  std::vector<bool> used;   ///< for each page of the file: false for thumbnails
  std::int64_t planes = 0;  ///< that hold bands: pages, or what a description says follows the only page
  bool contiguous = false;  ///< planes follow the first without pages of their own
  std::optional<double> scale;
  std::vector<double> wavelengths;
  std::uint64_t max_block_bytes = 0;  ///< a strip or tile that unpacks to more is a lie

  std::int64_t bands() const { return planes * page.kept; }
  /// H×W for one band, else bands×H×W.
  std::vector<std::int64_t> shape() const;
};

/// `input` is the same file. Looks at all pages, refuses what cannot be read, and checks sizes
/// against max_bytes and the file's length.
TiffPages survey_pages(TiffFile& file, InputFile& input, const std::string& path, const ReadOptions& options);

[[noreturn]] void fail_tiff(const TiffFile& file, const std::string& path);

/// Lines of the description of the first page that are ours.
constexpr const char* kTiffScaleKey = "snapcube.scale";
constexpr const char* kTiffWavelengthsKey = "snapcube.wavelengths";

}  // namespace snapcube::io
