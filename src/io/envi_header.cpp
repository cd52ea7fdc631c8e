#include "io/envi_header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"

namespace snapcube::io {

namespace {

constexpr std::array<std::pair<int, ElementType>, 9> kTypes{{
    {1, ElementType::u8},
    {2, ElementType::i16},
    {3, ElementType::i32},
    {4, ElementType::f32},
    {5, ElementType::f64},
    {12, ElementType::u16},
    {13, ElementType::u32},
    {14, ElementType::i64},
    {15, ElementType::u64},
}};

constexpr std::array kInterleaves{EnviInterleave::bsq, EnviInterleave::bil, EnviInterleave::bip};

std::string quoted(std::string_view text) { return fmt::format("'{}'", text.substr(0, 40)); }

/// The text up to the end of the line, which is taken off `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// Lower case, one space between words: "Data  Type" → "data type".
std::string key_of(std::string_view text) {
  std::string key;
  for (const std::string& word : split(lower(trim(text)), ' ')) {
    if (word.empty()) continue;
    if (!key.empty()) key += ' ';
    key += word;
  }
  return key;
}

class Fields {
 public:
  Fields(std::string_view text, const std::string& source) : source_(source) {
    if (trim(next_line(text)) != "ENVI") {
      throw InputError(source, "first line", "'ENVI'", "something else");
    }
    while (!text.empty()) {
      const std::string_view rest = text;
      const std::string_view line = trim(next_line(text));
      if (line.empty() || line.starts_with(';')) continue;
      const auto equals = line.find('=');
      if (equals == std::string_view::npos) {
        throw InputError(source, "header", "'key = value' on every line", quoted(line));
      }
      const std::string key = key_of(line.substr(0, equals));
      std::string_view value = trim(line.substr(equals + 1));
      if (value.starts_with('{')) {
        const auto open = rest.find('{');
        const auto close = rest.find('}', open);
        if (close == std::string_view::npos) {
          throw InputError(source, key, "a closing brace", "the end of the header");
        }
        value = trim(rest.substr(open + 1, close - open - 1));
        text = rest.substr(close);
        next_line(text);
      }
      if (!values_.emplace(key, value).second) {
        throw InputError(source, key, "one such line", "several");
      }
    }
  }

  std::optional<std::string> find(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }

  std::string get(const std::string& key, const std::string& expected) const {
    const auto value = find(key);
    if (!value) throw InputError(source_, key, expected, "no such line");
    return *value;
  }

  /// An integer of at least `least`.
  std::int64_t integer(const std::string& key, std::int64_t least) const {
    const std::string expected = fmt::format("an integer of at least {}", least);
    const std::string text = get(key, expected);
    const auto value = parse_int(text);
    if (!value || *value < least) throw InputError(source_, key, expected, quoted(text));
    return *value;
  }

 private:
  std::string source_;
  std::map<std::string, std::string> values_;
};

ElementType element_type(const Fields& fields, const std::string& source) {
  const std::int64_t code = fields.integer("data type", 0);
  for (const auto& [number, type] : kTypes) {
    if (number == code) return type;
  }
  const bool is_complex = code == 6 || code == 9;
  throw InputError(source, "data type", "1, 2, 3, 4, 5, 12, 13, 14 or 15",
                   is_complex ? fmt::format("{} (complex numbers)", code) : fmt::format("{}", code));
}

EnviInterleave interleave_of(const Fields& fields, const std::string& source) {
  const std::string text = fields.get("interleave", "bsq, bil or bip");
  for (const EnviInterleave interleave : kInterleaves) {
    if (lower(text) == interleave_name(interleave)) return interleave;
  }
  throw InputError(source, "interleave", "bsq, bil or bip", quoted(text));
}

/// One number a band, in nm.
std::vector<double> wavelengths_of(const Fields& fields, std::int64_t bands, const std::string& source) {
  const auto list = fields.find("wavelength");
  if (!list || list->empty()) return {};
  std::vector<double> values;
  for (const std::string& text : split(*list, ',')) {
    values.push_back(positive_number(text, source, "wavelength"));
  }
  if (static_cast<std::int64_t>(values.size()) != bands) {
    throw InputError(source, "wavelength", fmt::format("{} values, one a band", bands),
                     fmt::format("{}", values.size()));
  }

  const std::string units = lower(fields.find("wavelength units").value_or(""));
  bool micrometres = units == "micrometers" || units == "micrometer" || units == "micrometres" || units == "microns" ||
                     units == "um" || units == "µm";
  const bool nanometres = units == "nanometers" || units == "nanometer" || units == "nanometres" || units == "nm";
  if (units == "wavenumber" || units == "ghz" || units == "mhz" || units == "index") {
    log_warning(fmt::format("{}: wavelengths in {} are left out", source, units));
    return {};
  }
  if (!micrometres && !nanometres) {
    // No optical wavelength is below 10 nm or above 10 µm for the cameras at hand.
    micrometres = std::ranges::all_of(values, [](double v) { return v < 10; });
    log_warning(fmt::format("{}: wavelength units not stated; taken as {}", source,
                            micrometres ? "micrometres" : "nanometres"));
  }
  if (micrometres) {
    // Rounded to 1e-6 nm, so that 0.4535 µm is 453.5 nm and not 453.49999999999994.
    for (double& v : values) {
      const double nm = std::round(v * 1e9) / 1e6;
      if (!(nm > 0 && std::isfinite(nm))) {
        throw InputError(source, "wavelength", "micrometres that nanometres can express", fmt::format("{}", v));
      }
      v = nm;
    }
  }
  return values;
}

}  // namespace

std::string interleave_name(EnviInterleave interleave) {
  switch (interleave) {
    case EnviInterleave::bil:
      return "bil";
    case EnviInterleave::bip:
      return "bip";
    case EnviInterleave::bsq:
      break;
  }
  return "bsq";
}

EnviHeader parse_envi_header(std::string_view text, const std::string& source) {
  const Fields fields(text, source);
  EnviHeader header;
  header.samples = fields.integer("samples", 1);
  header.lines = fields.integer("lines", 1);
  header.bands = fields.integer("bands", 1);
  if (fields.find("header offset")) header.offset = fields.integer("header offset", 0);
  header.type = element_type(fields, source);
  // What cannot make a difference need not be stated.
  if (header.bands > 1 || fields.find("interleave")) {
    header.interleave = interleave_of(fields, source);
  }
  if (element_size(header.type) > 1 || fields.find("byte order")) {
    const std::int64_t order = fields.integer("byte order", 0);
    if (order > 1) throw InputError(source, "byte order", "0 or 1", fmt::format("{}", order));
    header.big_endian = order == 1;
  }
  const std::string compression = fields.find("file compression").value_or("0");
  if (compression != "0") {
    throw InputError(source, "file compression", "0 (compressed ENVI files are not read)", quoted(compression));
  }
  header.wavelengths = wavelengths_of(fields, header.bands, source);
  if (const auto factor = fields.find("reflectance scale factor")) {
    header.reflectance_scale = positive_number(*factor, source, "reflectance scale factor");
  }
  for (const char* key : {"data gain values", "data offset values"}) {
    if (fields.find(key)) log_warning(fmt::format("{}: '{}' are not applied", source, key));
  }
  return header;
}

std::string envi_header_text(const EnviHeader& header) {
  const auto code = std::ranges::find(kTypes, header.type, &std::pair<int, ElementType>::second);
  std::string text = "ENVI\n";
  text += fmt::format("samples = {}\nlines = {}\nbands = {}\n", header.samples, header.lines, header.bands);
  text += fmt::format("header offset = {}\nfile type = ENVI Standard\n", header.offset);
  if (header.reflectance_scale) {
    text += fmt::format("reflectance scale factor = {}\n", *header.reflectance_scale);
  }
  text += fmt::format("data type = {}\ninterleave = {}\nbyte order = {}\n", code->first,
                      interleave_name(header.interleave), header.big_endian ? 1 : 0);
  if (!header.wavelengths.empty()) {
    text +=
        fmt::format("wavelength units = Nanometers\nwavelength = {{\n {} }}\n", fmt::join(header.wavelengths, ",\n "));
  }
  return text;
}

}  // namespace snapcube::io
