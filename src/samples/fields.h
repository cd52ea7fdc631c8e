#pragma once
// Members of a struct as JSON values: how one is read, checked and written.

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace snapcube {

/// What was expected of a value and what was found; `where` leads from the key to the place: "[1].low", or nothing.
struct BadValue {
  std::string where;
  std::string expected;
  std::string found;
};

/// The value in a message.
std::string found_text(const nlohmann::json& value);
/// Valid UTF-8 without control characters: what a configuration file can hold on one line.
bool is_plain_text(const std::string& text);

template <typename Owner>
struct Field {
  std::string expected;  ///< "a number above 0"
  std::function<nlohmann::json(const Owner&)> get;
  std::function<bool(Owner&, const nlohmann::json&)> set;  ///< false: it does not fit
};

/// More than any number of steps.
inline constexpr std::int64_t kMany = 1'000'000'000'000;

template <typename Owner, typename Integer>
Field<Owner> whole(Integer Owner::*member, std::int64_t least, std::int64_t most) {
  return {most < kMany ? fmt::format("a whole number, {} … {}", least, most)
                       : fmt::format("a whole number of at least {}", least),
          [member](const Owner& o) { return o.*member; },
          [=](Owner& o, const nlohmann::json& v) {
            const bool fits = v.is_number_unsigned() ? v <= static_cast<std::uint64_t>(most) : v.is_number_integer();
            if (!fits || v < least || v > most) return false;
            o.*member = v.get<Integer>();
            return true;
          }};
}

struct NumberRange {
  const char* expected;
  bool (*contains)(double);
};
inline constexpr NumberRange kAboveZero = {"a number above 0", [](double v) { return v > 0; }};
inline constexpr NumberRange kFromZero = {"a number of at least 0", [](double v) { return v >= 0; }};
inline constexpr NumberRange kShare = {"a number from 0 to 1", [](double v) { return v >= 0 && v <= 1; }};
inline constexpr NumberRange kOneToSixteen = {"a number from 1 to 16", [](double v) { return v >= 1 && v <= 16; }};
inline constexpr NumberRange kDecay = {"a number of at least 0 and below 1", [](double v) { return v >= 0 && v < 1; }};

template <typename Owner>
Field<Owner> number(double Owner::*member, NumberRange range) {
  return {range.expected, [member](const Owner& o) { return o.*member; },
          [=](Owner& o, const nlohmann::json& v) {
            if (!v.is_number() || !std::isfinite(v.get<double>()) || !range.contains(v.get<double>())) return false;
            o.*member = v.get<double>();
            return true;
          }};
}

template <typename Owner>
Field<Owner> flag(bool Owner::*member) {
  return {"true or false", [member](const Owner& o) { return o.*member; },
          [member](Owner& o, const nlohmann::json& v) {
            if (!v.is_boolean()) return false;
            o.*member = v.get<bool>();
            return true;
          }};
}

template <typename Owner>
Field<Owner> text(std::string Owner::*member) {
  return {"a printable text", [member](const Owner& o) { return o.*member; },
          [member](Owner& o, const nlohmann::json& v) {
            if (!v.is_string() || !is_plain_text(v.get_ref<const std::string&>())) return false;
            o.*member = v.get<std::string>();
            return true;
          }};
}

template <typename Owner>
Field<Owner> texts(std::vector<std::string> Owner::*member) {
  return {"a list of printable texts", [member](const Owner& o) { return o.*member; },
          [member](Owner& o, const nlohmann::json& v) {
            if (!v.is_array()) return false;
            std::vector<std::string> list;
            for (const nlohmann::json& item : v) {
              if (!item.is_string() || !is_plain_text(item.get_ref<const std::string&>())) return false;
              list.push_back(item.get<std::string>());
            }
            o.*member = std::move(list);
            return true;
          }};
}

template <typename Owner, typename Enum>
Field<Owner> word(Enum Owner::*member, const std::vector<std::pair<std::string, Enum>>& names) {
  std::vector<std::string> words;
  for (const auto& [name, meaning] : names) words.push_back(name);
  return {fmt::format("one of {}", fmt::join(words, ", ")),
          [member, names](const Owner& o) {
            for (const auto& [name, meaning] : names) {
              if (meaning == o.*member) return nlohmann::json(name);
            }
            return nlohmann::json();
          },
          [member, names](Owner& o, const nlohmann::json& v) {
            for (const auto& [name, meaning] : names) {
              if (v == name) return o.*member = meaning, true;
            }
            return false;
          }};
}

}  // namespace snapcube
