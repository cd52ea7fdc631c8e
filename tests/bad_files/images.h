#pragma once
// Damaged and lying pictures: PNG, TIFF; and HDF5.

#include <zlib.h>

#include "bad_files/arrays.h"
#include "bad_files/table.h"

namespace snapcube::testing {

inline std::string big_endian(std::uint32_t value) {
  const std::string text = little_endian(value, 4);
  return {text.rbegin(), text.rend()};
}

inline std::string png_chunk(const std::string& type, const std::string& data, std::uint32_t change = 0) {
  const std::string sealed = type + data;
  const std::uint32_t crc = checksum(sealed);
  return big_endian(static_cast<std::uint32_t>(data.size())) + sealed + big_endian(crc ^ change);
}

inline std::string png_head(std::uint32_t width, std::uint32_t height, int depth = 8, int colour = 0) {
  return big_endian(width) + big_endian(height) + static_cast<char>(depth) + static_cast<char>(colour) +
         std::string(3, '\0');
}

inline BadFiles bad_png() {
  const std::string magic = "\x89PNG\r\n\x1a\n";
  const std::string pixels = png_chunk("IDAT", deflated(std::string(8, '\x01')));  // 2 rows: a filter, 3 samples
  const std::string end = png_chunk("IEND", "");
  const std::string head = png_chunk("IHDR", png_head(3, 2));
  const std::string good = magic + head + pixels + end;
  const auto image = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.png", content, ReadAs::image, verdict};
  };
  return {
      image("nothing", "", "expected a complete PNG file"),
      image("cut in the signature", good.substr(0, 6), "expected 8 bytes from byte 8 on, found a file of 6 bytes"),
      image("cut in the first chunk", good.substr(0, 20),
            "expected a complete PNG file, found one that ends inside a chunk"),
      image("cut in the pixels", good.substr(0, 45),
            "expected a complete PNG file, found one that ends inside a chunk"),
      image("no pixels", magic + head + end, "expected a complete PNG file"),
      image("a wrong checksum", magic + png_chunk("IHDR", png_head(3, 2), 1) + pixels + end,
            "expected a complete PNG file"),
      image("no columns", magic + png_chunk("IHDR", png_head(0, 2)) + pixels + end, "expected a complete PNG file"),
      image("2^31 columns and rows", magic + png_chunk("IHDR", png_head(0x7FFFFFFF, 0x7FFFFFFF)) + pixels + end,
            "expected a complete PNG file"),
      image("a picture of 1 GB in 20 bytes", magic + png_chunk("IHDR", png_head(32'000, 32'000)) + pixels + end,
            "size: expected at most 67108864 bytes (the limit for reading), found 32000×32000 elements of 4 bytes"),
      image("a depth of 7 bits", magic + png_chunk("IHDR", png_head(3, 2, 7)) + pixels + end,
            "expected a complete PNG file"),
      image("a palette's picture without palette", magic + png_chunk("IHDR", png_head(3, 2, 8, 3)) + pixels + end,
            "expected a complete PNG file"),
      image("a chunk of 2 GB", magic + head + big_endian(0x7FFFFFFF) + "IDAT" + end,
            "expected a complete PNG file, found one that ends inside a chunk"),
      image("garbage for pixels", magic + head + png_chunk("IDAT", std::string(20, '\xff')) + end,
            "expected a complete PNG file"),
  };
}

struct TiffEntry {
  std::uint16_t tag;
  std::uint16_t type;  ///< 3: 16 bits, 4: 32 bits
  std::uint32_t count;
  std::uint32_t value;
};

/// One page, little-endian; the pixels, then the directory.
inline std::string tiff(const std::vector<TiffEntry>& entries, const std::string& pixels, std::uint32_t next = 0) {
  std::string file = std::string("II*\0", 4) + little_endian(8 + pixels.size(), 4) + pixels;
  file += little_endian(entries.size(), 2);
  for (const TiffEntry& e : entries) {
    file += little_endian(e.tag, 2) + little_endian(e.type, 2) + little_endian(e.count, 4) + little_endian(e.value, 4);
  }
  return file + little_endian(next, 4);
}

inline BadFiles bad_tiff() {
  const std::string pixels(8, '\x01');
  // Width, height, bits, compression, photometric, strip, samples, rows a strip, bytes of the strip.
  const std::vector<TiffEntry> good = {{256, 4, 1, 4}, {257, 4, 1, 2}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
                                       {273, 4, 1, 8}, {277, 3, 1, 1}, {278, 4, 1, 2}, {279, 4, 1, 8}};
  const auto with = [&](const char* what, std::uint16_t tag, std::uint32_t value, const char* verdict) {
    std::vector<TiffEntry> entries = good;
    for (TiffEntry& e : entries) {
      if (e.tag == tag) e.value = value;
    }
    return BadFile{what, "x.tif", tiff(entries, pixels), ReadAs::image, verdict};
  };
  const std::string whole = tiff(good, pixels);
  const auto image = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.tif", content, ReadAs::image, verdict};
  };
  std::vector<TiffEntry> both = good;
  both[0].value = both[1].value = 0x7FFFFFFF;
  return {
      image("nothing", "", "expected a complete TIFF file"),
      image("cut in the header", whole.substr(0, 6), "expected a complete TIFF file"),
      image("cut before the directory", whole.substr(0, 16), "expected a complete TIFF file"),
      image("cut in the directory", whole.substr(0, 60), "expected a complete TIFF file"),
      image("a directory behind the end", std::string("II*\0\xff\xff\xff\x7f", 8) + pixels,
            "expected a complete TIFF file"),
      image("pages in a circle", tiff(good, pixels, 16), "expected a complete TIFF file"),
      with("no columns", 256, 0, "expected a complete TIFF file"),
      image("2^31 columns and rows", tiff(both, pixels), "expected a complete TIFF file"),
      with("7 bits", 258, 7,
           "samples: expected integers of 1, 8, 16, 32 or 64 bits or floats of 16, 32 or 64, found unsigned integers "
           "of 7 bits"),
      with("an unknown compression", 259, 9999, "expected a complete TIFF file"),
      with("a strip behind the end", 273, 100'000, "expected a complete TIFF file"),
      with("a strip that reaches behind the end", 273, 126, "expected a complete TIFF file"),
      with("65535 samples a pixel", 277, 65535,
           "size: expected a file long enough for 1 pages of 2×4, 65535 samples of uint8, found 130 bytes"),
  };
}

/// `good`: an HDF5 file of ours.
inline BadFiles bad_hdf5(const std::string& good) {
  const auto cube = [](const char* what, const std::string& content, const char* verdict, const char* name = "x.h5") {
    return BadFile{what, name, content, ReadAs::cube, verdict};
  };
  std::string scrambled = good;
  for (std::size_t i = 100; i < scrambled.size(); i += 7) scrambled[i] = static_cast<char>(scrambled[i] ^ 0x55);
  std::string matlab = "MATLAB 7.3 MAT-file";
  matlab.resize(124, ' ');
  matlab += std::string("\x00\x02IM", 4);
  return {
      cube("nothing", "", "expected an HDF5 file"),
      cube("the signature alone", good.substr(0, 8), "expected an HDF5 file"),
      cube("cut in the superblock", good.substr(0, 60), "expected an HDF5 file"),
      cube("cut in the middle", good.substr(0, good.size() / 2), "expected an HDF5 file"),
      cube("a byte missing", good.substr(0, good.size() - 1), "expected an HDF5 file"),
      cube("scrambled", scrambled, "expected an HDF5 file"),
      cube("MATLAB 7.3 without HDF5 behind it", matlab + std::string(1000, '\0'),
           "expected a MATLAB file, v5 or v7.3, found something else", "x.mat"),
  };
}

}  // namespace snapcube::testing
