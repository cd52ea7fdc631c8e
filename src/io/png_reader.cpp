#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <png.h>
#include <string_view>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/byte_order.h"
#include "io/input_file.h"
#include "io/png.h"

namespace snapcube::io {

std::string PngHeader::text() const { return fmt::format("{}, {}", shape_text(height, width), type_name()); }

// libpng reports an error by a jump. Everything that has a destructor therefore lives here or in
// our callers, never in a function that the jump leaves (the Steps below).
struct PngReaderState {
  PngReaderState(const std::string& file_path, const ReadOptions& read_options)
      : path(file_path), options(read_options), file(file_path) {}
  ~PngReaderState() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReaderState(const PngReaderState&) = delete;
  PngReaderState& operator=(const PngReaderState&) = delete;

  std::string path;
  ReadOptions options;
  InputFile file;
  PngHeader header;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_bytep> rows;
  std::array<char, 200> message{};
};

namespace {

using State = PngReaderState;

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* state = static_cast<State*>(png_get_error_ptr(png));
  std::snprintf(state->message.data(), state->message.size(), "%s", message);
  png_longjmp(png, 1);
}

/// libpng warns about colour profiles and such, which nothing here depends on.
void on_warning(png_structp, png_const_charp) {}

/// Runs a step that consists of libpng calls only; an error in it becomes an InputError.
void run(State& state, void (*step)(State&)) {
  if (setjmp(png_jmpbuf(state.png)) == 0) {
    step(state);
    return;
  }
  throw InputError(state.path, "", "a complete PNG file",
                   fmt::format("one that libpng refuses: {}", state.message.data()));
}

/// Every chunk (length, type, data, checksum) lies inside the file, up to the last, IEND. libpng allocates what a
/// chunk's length claims, and only then looks whether the file has as much.
void check_chunks(State& s) {
  constexpr std::uint64_t kSignature = 8;
  constexpr std::uint64_t kFrame = 12;  // length, type and checksum, of 4 bytes each
  const std::vector<std::byte> signature = s.file.first(kSignature);
  std::uint64_t at = kSignature;
  // What does not begin like a PNG file is refused by libpng, in better words.
  bool more = png_sig_cmp(reinterpret_cast<png_const_bytep>(signature.data()), 0, signature.size()) == 0;
  while (more) {
    std::array<std::uint8_t, 8> head{};
    s.file.read(at, head.data(), head.size());
    const std::uint64_t length =
        std::uint64_t{head[0]} << 24 | std::uint64_t{head[1]} << 16 | std::uint64_t{head[2]} << 8 | head[3];
    if (length + kFrame > s.file.size() - at) {
      throw InputError(s.path, "", "a complete PNG file",
                       fmt::format("one that ends inside a chunk of {} bytes", length));
    }
    more = std::memcmp(head.data() + 4, "IEND", 4) != 0;
    at += length + kFrame;
  }
  std::rewind(s.file.handle());
}

void read_header_step(State& s) {
  png_init_io(s.png, s.file.handle());
  // Also in chunks that do not matter to others: a scale with a wrong digit matters to us.
  png_set_crc_action(s.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_user_limits(s.png, 1'000'000, 1'000'000);
  png_set_chunk_cache_max(s.png, 100);
  png_read_info(s.png, s.info);
}

void set_transformations_step(State& s) {
  const auto colour = png_get_color_type(s.png, s.info);
  const auto bits = png_get_bit_depth(s.png, s.info);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(s.png);
  if (colour == PNG_COLOR_TYPE_GRAY && bits == 1) {
    png_set_packing(s.png);
  } else if (colour == PNG_COLOR_TYPE_GRAY && bits < 8) {
    png_set_expand_gray_1_2_4_to_8(s.png);
  }
  png_set_strip_alpha(s.png);
  if (bits == 16 && !kNativeIsBigEndian) png_set_swap(s.png);
  png_set_interlace_handling(s.png);
  png_read_update_info(s.png, s.info);
}

void read_pixels_step(State& s) {
  png_read_image(s.png, s.rows.data());
  png_read_end(s.png, s.info);
}

void take_texts(State& s) {
  png_textp texts = nullptr;
  int count = 0;
  png_get_text(s.png, s.info, &texts, &count);
  for (int i = 0; i < count; ++i) {
    const std::string_view key = texts[i].key;
    const std::string_view value = texts[i].text ? texts[i].text : "";
    if (key == "snapcube:scale") s.header.scale = positive_number(value, s.path, "text snapcube:scale");
    if (key == "snapcube:wavelength") {
      s.header.wavelength = positive_number(value, s.path, "text snapcube:wavelength");
    }
  }
}

/// Refuses a file that is too short for the size it states: deflate makes data at most 1032 times
/// smaller.
void check_length(const State& s) {
  const std::uint64_t bytes = (png_get_rowbytes(s.png, s.info) + 1) * std::uint64_t(s.header.height);
  if (bytes / 1040 > s.file.size()) {
    throw InputError(s.path, "size", fmt::format("a file long enough for {}", s.header.text()),
                     fmt::format("{} bytes", s.file.size()));
  }
}

/// Three equal channels become one.
template <typename Value>
void collapse_rgb(const std::vector<std::byte>& rgb, std::span<std::byte> grey, const std::string& path) {
  for (std::size_t i = 0; i < grey.size() / sizeof(Value); ++i) {
    std::array<Value, 3> v;
    std::memcpy(v.data(), rgb.data() + i * sizeof(v), sizeof(v));
    if (v[0] != v[1] || v[0] != v[2]) {
      throw InputError(path, "colour", "a grey picture (red, green and blue equal)",
                       fmt::format("the colour ({}, {}, {})", v[0], v[1], v[2]));
    }
    std::memcpy(grey.data() + i * sizeof(Value), v.data(), sizeof(Value));
  }
}

}  // namespace

PngReader::PngReader(const std::string& path, const ReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {
  State& s = *state_;
  s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
  if (s.png) s.info = png_create_info_struct(s.png);
  if (!s.info) throw Error(fmt::format("{}: cannot read: libpng does not start", path));
  check_chunks(s);
  run(s, read_header_step);

  const auto bits = png_get_bit_depth(s.png, s.info);
  const auto colour = png_get_color_type(s.png, s.info);
  s.header.height = png_get_image_height(s.png, s.info);
  s.header.width = png_get_image_width(s.png, s.info);
  s.header.type = bits == 16 ? ElementType::u16 : ElementType::u8;
  s.header.logical = bits == 1 && colour == PNG_COLOR_TYPE_GRAY;
  s.header.has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(s.png, s.info, PNG_INFO_tRNS) != 0;
  take_texts(s);
  // Four channels is the most that libpng holds of a pixel while it reads.
  checked_elements({s.header.height, s.header.width}, 4 * element_size(s.header.type), options.max_bytes, path, "size");
  check_length(s);
}

PngReader::~PngReader() = default;

const PngHeader& PngReader::header() const { return state_->header; }

void PngReader::read_pixels(std::span<std::byte> to) {
  State& s = *state_;
  run(s, set_transformations_step);
  const std::size_t row_bytes = png_get_rowbytes(s.png, s.info);
  const auto height = static_cast<std::size_t>(s.header.height);
  const std::size_t grey_row = static_cast<std::size_t>(s.header.width) * element_size(s.header.type);
  const int channels = png_get_channels(s.png, s.info);
  if (to.size() != height * grey_row || row_bytes != grey_row * channels || (channels != 1 && channels != 3)) {
    throw InputError(s.path, "size", fmt::format("{} bytes of pixels", to.size()), s.header.text());
  }
  std::vector<std::byte> rgb(channels == 3 ? height * row_bytes : 0);
  std::byte* first = channels == 3 ? rgb.data() : to.data();
  s.rows.resize(height);
  for (std::size_t y = 0; y < height; ++y) {
    s.rows[y] = reinterpret_cast<png_bytep>(first + y * row_bytes);
  }
  run(s, read_pixels_step);
  take_texts(s);
  if (channels == 3 && s.header.type == ElementType::u8) collapse_rgb<std::uint8_t>(rgb, to, s.path);
  if (channels == 3 && s.header.type == ElementType::u16) {
    collapse_rgb<std::uint16_t>(rgb, to, s.path);
  }
}

}  // namespace snapcube::io
