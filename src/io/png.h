#pragma once
// Grey PNG files, read and written with libpng. What every reader of ours makes of one:
//
//   1-bit grey            0 and 1 (logical)
//   2-, 4-, 8-bit grey    0 … 255
//   16-bit grey           0 … 65535
//   RGB, palette          as grey when red, green and blue are equal everywhere; refused otherwise
//   alpha, transparency   left out
//
// Text chunks: "snapcube:scale", the value that the largest integer stands for;
// "snapcube:wavelength" in nm.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/format.h"

namespace snapcube::io {

struct PngHeader {
  std::int64_t height = 0;
  std::int64_t width = 0;
  ElementType type = ElementType::u8;  ///< u8 or u16
  bool logical = false;
  bool has_alpha = false;
  std::optional<double> scale;
  std::optional<double> wavelength;

  /// "512×512, uint16"
  std::string text() const;
  std::string type_name() const { return logical ? "logical" : element_name(type); }
};

struct PngReaderState;

class PngReader {
 public:
  /// Reads all that stands before the pixels.
  PngReader(const std::string& path, const ReadOptions& options);
  ~PngReader();
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Knows the texts that stand behind the pixels only after read_pixels.
  const PngHeader& header() const;
  /// Fills height·width elements of header().type; once.
  void read_pixels(std::span<std::byte> to);

 private:
  std::unique_ptr<PngReaderState> state_;
};

struct PngText {
  std::string key;
  std::string value;
};

/// Pixels on their way into a file, row after row.
struct PngPixels {
  const std::byte* bytes = nullptr;
  int height = 0;
  int width = 0;
  int channels = 1;  ///< 1: grey, 3: RGB
  int bits = 8;      ///< 8, or 16 in native byte order
};

/// Writes to `path` itself; whoever calls makes that a temporary name. `target` is the name for
/// messages.
void write_png_file(const PngPixels& pixels, std::span<const PngText> texts, const std::string& path,
                    const std::string& target);

/// Bits of the type a PNG of ours has: automatic is 16. Floats are refused.
int png_bits(SampleType type, const std::string& path);

}  // namespace snapcube::io
