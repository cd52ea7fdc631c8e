#pragma once
// Small helpers for text: shapes in messages, numbers from options.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace snapcube {

/// "256×256×28"; "a single value" for no dimensions.
std::string shape_text(std::span<const std::int64_t> shape);
std::string shape_text(std::int64_t height, std::int64_t width);

/// The whole text as a number, independent of the locale; nothing if any character is left over.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_int(std::string_view text);

/// A finite number above 0, such as a scale or a wavelength; an InputError otherwise.
double positive_number(std::string_view text, const std::string& source, const std::string& field);

/// "a, b, c" → {"a", "b", "c"}: split at the separator, white space at both ends removed.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);

/// A name from a file for messages: in quotes, without control characters, shortened when it is very long.
std::string quoted_name(std::string_view name);

}  // namespace snapcube
