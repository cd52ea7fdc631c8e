#pragma once
// A short name of everything that a result depends on: FNV-1a, 64 bits. Equal things have equal names; different ones
// differ but for one in 10^19, which is enough to notice a change, not to withstand an attack.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace snapcube {

class Fingerprint {
 public:
  void add(std::string_view text);
  void add(double number);
  void add(int number) { add(static_cast<double>(number)); }
  void add(std::span<const float> values);
  void add(std::span<const double> values);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  void add_bytes(const void* bytes, std::size_t size);
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace snapcube
