#include "commands/fingerprint.h"

#include <fmt/format.h>

namespace snapcube {

void Fingerprint::add_bytes(const void* bytes, std::size_t size) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3;
}

// The length goes first, so that "ab", "c" is not "a", "bc".
void Fingerprint::add(std::string_view text) {
  add(static_cast<double>(text.size()));
  add_bytes(text.data(), text.size());
}

void Fingerprint::add(double number) { add_bytes(&number, sizeof number); }

void Fingerprint::add(std::span<const float> values) {
  add(static_cast<double>(values.size()));
  add_bytes(values.data(), values.size_bytes());
}

void Fingerprint::add(std::span<const double> values) {
  add(static_cast<double>(values.size()));
  add_bytes(values.data(), values.size_bytes());
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace snapcube
