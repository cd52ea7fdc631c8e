#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <png.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/render.h>

#include "base/atomic_file.h"
#include "io/byte_order.h"
#include "io/png.h"

namespace snapcube::io {

namespace {

// As in png_reader.cpp: what has a destructor lives here, not in the function that libpng's jump
// leaves.
struct Writer {
  ~Writer() {
    png_destroy_write_struct(&png, &info);
    if (file) std::fclose(file);
  }
  const PngPixels* pixels = nullptr;
  std::FILE* file = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_text> texts;
  std::vector<png_bytep> rows;
  std::array<char, 200> message{};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* writer = static_cast<Writer*>(png_get_error_ptr(png));
  std::snprintf(writer->message.data(), writer->message.size(), "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void write_all(Writer& w) {
  png_init_io(w.png, w.file);
  png_set_IHDR(w.png, w.info, w.pixels->width, w.pixels->height, w.pixels->bits,
               w.pixels->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (w.pixels->channels == 3) png_set_sRGB(w.png, w.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_text(w.png, w.info, w.texts.data(), static_cast<int>(w.texts.size()));
  png_write_info(w.png, w.info);
  if (w.pixels->bits == 16 && !kNativeIsBigEndian) png_set_swap(w.png);
  png_write_image(w.png, w.rows.data());
  png_write_end(w.png, w.info);
}

bool succeeds(Writer& w) {
  if (setjmp(png_jmpbuf(w.png)) != 0) return false;
  write_all(w);
  return true;
}

}  // namespace

void write_png_file(const PngPixels& pixels, std::span<const PngText> texts, const std::string& path,
                    const std::string& target) {
  const auto fail = [&](const char* reason) { throw Error(fmt::format("{}: cannot write: {}", target, reason)); };
  Writer w;
  w.pixels = &pixels;
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
  if (w.png) w.info = png_create_info_struct(w.png);
  if (!w.info) fail("libpng does not start");
  for (const PngText& text : texts) {
    png_text entry{};
    entry.compression = PNG_TEXT_COMPRESSION_NONE;
    entry.key = const_cast<char*>(text.key.c_str());  // libpng copies them
    entry.text = const_cast<char*>(text.value.c_str());
    w.texts.push_back(entry);
  }
  const std::size_t row_bytes = static_cast<std::size_t>(pixels.width) * pixels.channels * (pixels.bits / 8);
  for (int y = 0; y < pixels.height; ++y) {
    // libpng takes pointers to non-const and does not write through them.
    const auto* row = reinterpret_cast<png_const_bytep>(pixels.bytes + y * row_bytes);
    w.rows.push_back(const_cast<png_bytep>(row));
  }
  w.file = std::fopen(path.c_str(), "wb");
  if (!w.file) fail(std::strerror(errno));
  if (!succeeds(w)) fail(w.message.data());
  const bool closed = std::fclose(std::exchange(w.file, nullptr)) == 0;
  if (!closed) fail(std::strerror(errno));
}

int png_bits(SampleType type, const std::string& path) {
  switch (type) {
    case SampleType::u8:
      return 8;
    case SampleType::automatic:
    case SampleType::u16:
      return 16;
    case SampleType::f32:
    case SampleType::f64:
      break;
  }
  throw InputError(path, "type", "u8 or u16, the types a PNG holds", "a float type");
}

}  // namespace snapcube::io

namespace snapcube {

void write_png(const Picture& picture, const std::string& path) {
  const std::size_t expected = std::size_t{3} * picture.height * picture.width;
  if (picture.height <= 0 || picture.width <= 0 || picture.rgb.size() != expected) {
    throw InputError(path, "picture", "a size above 0 and three bytes a pixel",
                     fmt::format("{}×{} with {} bytes", picture.height, picture.width, picture.rgb.size()));
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(picture.rgb.data());
  AtomicFile file(path);
  io::write_png_file({bytes, picture.height, picture.width, 3, 8}, {}, file.path().string(), path);
  file.commit();
}

}  // namespace snapcube
