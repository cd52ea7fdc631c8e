#include "io/safetensors_header.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube::io {

namespace {

std::optional<TensorType> type_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(TensorType::i64); ++i) {
    if (tensor_type_name(static_cast<TensorType>(i)) == name) return static_cast<TensorType>(i);
  }
  return std::nullopt;
}

/// As many as any program handles; a hostile file might have millions.
constexpr std::size_t kMaxRank = 64;

/// Takes the tokens of the parser one by one and refuses the first that does not fit: a hostile header gets no tree.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& source) : source_(source) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::start:
        return go(Place::top);
      case Place::metadata:
        return go(Place::metadata_key);
      case Place::tensor:
        return go(Place::tensor_key);
      default:
        unexpected("an object");
    }
  }

  bool key(std::string& name) override {
    switch (place_) {
      case Place::top:
        if (!names_.insert(name).second) refuse("header", "every key once", quoted_name(name) + " twice");
        if (name == "__metadata__") return go(Place::metadata);
        header_.entries.emplace_back().name = name;
        seen_ = {};
        return go(Place::tensor);
      case Place::metadata_key:
        key_ = name;
        if (header_.metadata.contains(name)) refuse(field(), "every key once", quoted_name(name) + " twice");
        return go(Place::metadata_value);
      default:  // Place::tensor_key; the parser gives keys inside objects only
        for (std::size_t i = 0; i < kFields.size(); ++i) {
          if (name != kFields[i].first) continue;
          if (std::exchange(seen_[i], true)) refuse(field(), "every key once", quoted_name(name) + " twice");
          return go(kFields[i].second);
        }
        refuse(field(), "the keys dtype, shape and data_offsets", quoted_name(name));
    }
  }

  bool end_object() override {
    switch (place_) {
      case Place::metadata_key:
        return go(Place::top);
      case Place::tensor_key:
        for (std::size_t i = 0; i < kFields.size(); ++i) {
          if (!seen_[i])
            refuse(field(), "the keys dtype, shape and data_offsets", fmt::format("no {}", kFields[i].first));
        }
        return go(Place::top);
      default:
        return go(Place::end);
    }
  }

  bool start_array(std::size_t) override {
    switch (place_) {
      case Place::shape:
        return go(Place::shape_value);
      case Place::offsets:
        offsets_ = 0;
        return go(Place::offsets_value);
      default:
        unexpected("an array");
    }
  }

  bool end_array() override {
    if (place_ == Place::offsets_value && offsets_ != 2) unexpected(fmt::format("{} numbers", offsets_));
    return go(Place::tensor_key);
  }

  bool string(std::string& text) override {
    switch (place_) {
      case Place::metadata_value:
        header_.metadata.emplace(std::move(key_), std::move(text));
        return go(Place::metadata_key);
      case Place::dtype: {
        const std::optional<TensorType> type = type_of(text);
        if (!type) unexpected(quoted_name(text));
        header_.entries.back().type = *type;
        return go(Place::tensor_key);
      }
      default:
        unexpected("the text " + quoted_name(text));
    }
  }

  bool number_unsigned(std::uint64_t value) override {
    const bool fits = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (place_ == Place::shape_value && header_.entries.back().shape.size() == kMaxRank) {
      refuse(field(), fmt::format("at most {} dimensions", kMaxRank), "more");
    } else if (place_ == Place::shape_value && fits) {
      header_.entries.back().shape.push_back(static_cast<std::int64_t>(value));
    } else if (place_ == Place::offsets_value && offsets_ < 2) {
      (offsets_ == 0 ? header_.entries.back().begin : header_.entries.back().end) = value;
      ++offsets_;
    } else {
      unexpected(place_ == Place::offsets_value ? "a third number" : fmt::format("{}", value));
    }
    return true;
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { unexpected(fmt::format("{}", value)); }
  bool number_float(double, const std::string& text) override { unexpected(text.substr(0, 40)); }
  bool binary(nlohmann::json::binary_t&) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    refuse_json(position);
  }
  [[noreturn]] void refuse_json(std::size_t position) const {
    refuse("header", "JSON in UTF-8", fmt::format("an error at byte {} of it", position));
  }

 private:
  /// Where the next token stands.
  enum class Place {
    start,
    top,
    metadata,
    metadata_key,
    metadata_value,
    tensor,
    tensor_key,
    dtype,
    shape,
    shape_value,
    offsets,
    offsets_value,
    end,
  };
  static constexpr std::array<std::pair<std::string_view, Place>, 3> kFields = {
      {{"dtype", Place::dtype}, {"shape", Place::shape}, {"data_offsets", Place::offsets}}};

  bool go(Place place) {
    place_ = place;
    return true;
  }

  std::string field() const {
    if (place_ == Place::start || place_ == Place::top) return "header";
    if (place_ == Place::metadata_value) return "metadata " + quoted_name(key_);
    if (place_ == Place::metadata || place_ == Place::metadata_key) return "metadata";
    return "tensor " + quoted_name(header_.entries.back().name);
  }

  [[noreturn]] void unexpected(const std::string& found) const {
    switch (place_) {
      case Place::metadata_value:
        refuse(field(), "a text", found);
      case Place::dtype:
        refuse(field(), "dtype F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL", found);
      case Place::shape:
      case Place::shape_value:
        refuse(field(), "shape as an array of sizes", found);
      case Place::offsets:
      case Place::offsets_value:
        refuse(field(), "data_offsets as two numbers of bytes", found);
      default:
        refuse(field(), "an object", found);
    }
  }

  [[noreturn]] void refuse(const std::string& field, const std::string& expected, const std::string& found) const {
    throw InputError(source_, field, expected, found);
  }

  const std::string& source_;
  SafetensorsHeader header_;
  std::unordered_set<std::string> names_;
  Place place_ = Place::start;
  std::string key_;
  std::array<bool, 3> seen_ = {};
  int offsets_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& source) {
  // The parser would skip white space and a byte order mark here; the format does not.
  if (!json.starts_with('{')) throw InputError(source, "header", "'{' at its start", "something else");
  HeaderReader reader(source);
  // The parser takes a zero byte for the end; behind it anything could stand.
  if (const auto zero = json.find('\0'); zero != json.npos) reader.refuse_json(zero + 1);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.take();
}

}  // namespace snapcube::io
