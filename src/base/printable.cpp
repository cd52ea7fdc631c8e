#include "base/printable.h"

namespace snapcube {

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    const bool second_set = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // in UTF-8
    const bool control = byte < ' ' || byte == 0x7F || second_set;
    result += control ? '?' : text[i];
    if (second_set) ++i;
  }
  return result;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  if (text.size() <= kLongest) return std::string(text);
  std::string start(text.substr(0, kLongest));
  while (!start.empty() && (static_cast<unsigned char>(start.back()) & 0xC0u) == 0x80u) start.pop_back();
  if (!start.empty() && static_cast<unsigned char>(start.back()) >= 0xC0u) start.pop_back();
  return start + "…";
}

}  // namespace snapcube
