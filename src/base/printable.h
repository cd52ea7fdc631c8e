#pragma once
// Text from files, fit for a terminal.

#include <string>
#include <string_view>

namespace snapcube {

/// The text with '?' for every control character (ASCII's, line ends too, and U+0080 … U+009F in UTF-8): a name in a
/// file shall not move the cursor, change colours or begin a line of its own.
std::string printable(std::string_view text);

/// The text, or its first 200 bytes and "…"; characters of UTF-8 are not cut.
std::string shortened(std::string_view text);

}  // namespace snapcube
