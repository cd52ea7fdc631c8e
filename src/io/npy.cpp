#include "io/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "io/byte_order.h"
#include "io/convert.h"
#include "io/input_file.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";

/// Reads the dictionary of a header: exactly the three keys, in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void parse(NpyHeader& header) {
    bool descr = false;
    bool order = false;
    bool shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !descr) {
        parse_descr(header);
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = parse_bool();
        order = true;
      } else if (key == "shape" && !shape) {
        parse_shape(header);
        shape = true;
      } else {
        fail("the keys descr, fortran_order and shape, once each", fmt::format("'{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("nothing after the dictionary", rest());
    if (!descr || !order || !shape) fail("the keys descr, fortran_order and shape", rest());
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError(source_, "npy header", expected, found);
  }
  std::string rest() const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
    return rest.empty() ? "its end" : fmt::format("\"{}\"", as_ascii(rest));
  }
  static std::string as_ascii(std::string_view text) {
    std::string result(text);
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c), rest());
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const auto end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a closing quote", rest());
    std::string result(text_.substr(at_, end - at_));
    if (result.find('\\') != std::string::npos) fail("text without escapes", as_ascii(result));
    at_ = end + 1;
    return result;
  }
  bool parse_bool() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail("True or False", rest());
    return false;
  }

  void parse_shape(NpyHeader& header) {
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const char* begin = text_.data() + at_;
      const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (status != std::errc{} || extent < 0) fail("a size", rest());
      at_ += static_cast<std::size_t>(end - begin);
      accept('L');  // Python 2 wrote long integers so
      header.shape.push_back(extent);
      if (header.shape.size() > 32) fail("at most 32 dimensions", "more");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  /// Byte order, kind and bytes: '<f4', '|u1'. A list describes records.
  void parse_descr(NpyHeader& header) {
    if (accept('[')) {
      skip_list();
      header.type_name = "structured";
      header.readable = false;
      return;
    }
    const std::string descr = quoted();
    std::string_view type = descr;
    char order = '|';
    if (!type.empty() && std::string_view("<>=|").find(type[0]) != std::string_view::npos) {
      order = type[0];
      type.remove_prefix(1);
    }
    header.big_endian = order == '>';
    const std::optional<ElementType> element = element_of(type);
    if (element) {
      header.type = *element;
      header.logical = type == "b1";
      header.type_name = header.logical ? "bool" : element_name(*element);
      return;
    }
    header.readable = false;
    header.type_name = unreadable_name(type, descr);
  }

  static std::optional<ElementType> element_of(std::string_view type) {
    static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
        {"b1", ElementType::u8},  {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"u2", ElementType::u16},
        {"i2", ElementType::i16}, {"u4", ElementType::u32}, {"i4", ElementType::i32}, {"u8", ElementType::u64},
        {"i8", ElementType::i64}, {"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64}};
    for (const auto& [name, element] : kTypes) {
      if (type == name) return element;
    }
    return std::nullopt;
  }
  static std::string unreadable_name(std::string_view type, const std::string& descr) {
    if (type.starts_with('O')) return "object";
    if (type == "c8") return "complex64";
    if (type == "c16") return "complex128";
    if (type.starts_with('V')) return "structured";
    if (type.starts_with('U') || type.starts_with('S')) return "text";
    return fmt::format("type '{}'", as_ascii(descr));
  }
  /// Skips what is left of a list whose '[' has been read.
  void skip_list() {
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ == text_.size()) fail("']'", rest());
      if (text_[at_] == '[') ++depth;
      if (text_[at_] == ']') --depth;
    }
  }

  std::string_view text_;
  std::string source_;
  std::size_t at_ = 0;
};

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8) | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

void check_length(const NpyHeader& header, std::uint64_t found, const std::string& source, std::uint64_t max_bytes) {
  const std::uint64_t expected = checked_npy_bytes(header, source, max_bytes);
  if (found == expected) return;
  throw InputError(source, "data",
                   fmt::format("{} bytes for {} of {}", expected, shape_text(header.shape), header.type_name),
                   fmt::format("{}", found));
}

class NpyFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions&) const override {
    const NpyHeader header = parse_npy_header(InputFile(path).first(kMaxNpyHeader), path);
    FileInfo info;
    info.path = path;
    info.format = "NumPy";
    info.arrays.push_back({"", header.shape, header.type_name, header.readable});
    return info;
  }

  StoredArray load(const std::string& path, const std::string&, const ReadOptions& options) const override {
    InputFile file(path);
    const NpyHeader header = parse_npy_header(file.first(kMaxNpyHeader), path);
    checked_npy_bytes(header, path, options.max_bytes);
    std::vector<std::byte> elements = file.rest(header.length, options.max_bytes);
    check_length(header, elements.size(), path, options.max_bytes);
    return npy_array(header, std::move(elements));
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    const Serialised elements = serialise(request, ElementOrder::rows_columns_bands);
    if (elements.scale != 1) {
      throw InputError(
          path, "type", "values up to 1, since .npy has no place for a scale (write floats, or .npz)",
          fmt::format("values up to {:.6g} to be written as {}", elements.scale, element_name(elements.type)));
    }
    SaveRequest without_wavelengths = request;
    without_wavelengths.wavelengths.clear();
    warn_if_layout_is_misread(without_wavelengths, path);
    const std::string head = npy_head(shape_with_bands_last(request), elements.type);
    const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), elements.bytes};
    AtomicFile file(path);
    file.write(pieces);
    file.commit();
  }
};

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw InputError(source, "npy header", "an .npy file", "something else, or less than a header");
  }
  const int version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3) {
    throw InputError(source, "npy header", "version 1, 2 or 3", fmt::format("{}", version));
  }
  const std::size_t before = version == 1 ? 10 : 12;
  if (bytes.size() < before) throw InputError(source, "npy header", "its length", "the end of the file");
  const std::uint32_t length = little_endian(bytes.subspan(8, before - 8));
  if (length > kMaxNpyHeader - 12 || length > bytes.size() - before) {
    throw InputError(source, "npy header", fmt::format("{} bytes", length),
                     fmt::format("{} up to the end", bytes.size() - before));
  }
  NpyHeader header;
  header.length = before + length;
  HeaderParser({reinterpret_cast<const char*>(bytes.data()) + before, length}, source).parse(header);
  return header;
}

std::uint64_t checked_npy_bytes(const NpyHeader& header, const std::string& source, std::uint64_t max_bytes) {
  if (!header.readable) throw InputError(source, "descr", "real numbers", header.type_name);
  const std::size_t size = element_size(header.type);
  return checked_elements(header.shape, size, max_bytes, source, "shape") * size;
}

StoredArray npy_array(const NpyHeader& header, std::vector<std::byte> elements) {
  StoredArray array;
  array.shape = header.shape;
  array.type = header.type;
  array.first_index_fastest = header.fortran_order;
  array.logical = header.logical;
  array.bytes = std::move(elements);
  if (header.big_endian) reverse_bytes(array.bytes, element_size(header.type));
  return array;
}

StoredArray parse_npy(std::span<const std::byte> bytes, const std::string& source, std::uint64_t max_bytes) {
  const NpyHeader header = parse_npy_header(bytes, source);
  const std::span<const std::byte> elements = bytes.subspan(header.length);
  check_length(header, elements.size(), source, max_bytes);
  return npy_array(header, {elements.begin(), elements.end()});
}

std::string npy_head(const std::vector<std::int64_t>& shape, ElementType type) {
  const std::string name = element_name(type);
  const char order = element_size(type) == 1 ? '|' : '<';
  std::string text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order, name[0],
                                 element_size(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // Spaces and a newline, so that the elements begin at a multiple of 64.
  constexpr std::size_t kBefore = 10;
  text.resize((kBefore + text.size() + 1 + 63) / 64 * 64 - kBefore, ' ');
  text.back() = '\n';
  std::string head(kMagic);
  head += '\x01';
  head += '\x00';
  head += static_cast<char>(text.size() & 0xFF);
  head += static_cast<char>(text.size() >> 8);
  head += text;
  return head;
}

std::vector<std::byte> npy_file(const std::vector<std::int64_t>& shape, ElementType type,
                                std::span<const std::byte> bytes) {
  const std::string head = npy_head(shape, type);
  std::vector<std::byte> file(head.size() + bytes.size());
  std::memcpy(file.data(), head.data(), head.size());
  if (!bytes.empty()) std::memcpy(file.data() + head.size(), bytes.data(), bytes.size());
  return file;
}

const Format& npy_format() {
  static const NpyFormat format;
  return format;
}

}  // namespace snapcube::io
