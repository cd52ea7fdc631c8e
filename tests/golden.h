#pragma once
// The formula of the golden weights: every value follows from its parameter's name and index.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace snapcube::testing {

/// u(name, i), uniform in [0,1) with 24 bits.
class GoldenStream {
 public:
  explicit GoldenStream(std::string_view name) {
    for (const char c : name) seed_ = (seed_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;  // FNV-1a
  }
  double operator()(std::uint64_t i) const {
    std::uint64_t z = seed_ + (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    return static_cast<double>(z >> 40) * 0x1p-24;
  }

 private:
  std::uint64_t seed_ = 0xCBF29CE484222325ull;
};

/// Fills a tensor of the given shape (row-major) as the golden files' makers did.
inline void fill_golden(std::string_view name, const std::int64_t* shape, std::size_t rank, float* values) {
  const GoldenStream u(name);
  std::uint64_t count = 1;
  double fan_in = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    count *= static_cast<std::uint64_t>(shape[d]);
    if (d > 0) fan_in *= static_cast<double>(shape[d]);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const double s = 2 * u(i) - 1;
    double v = 0.1 * s;
    if (name.ends_with("hash_alpha")) {
      v = s * std::sqrt(3.0);
    } else if (name.ends_with("hash_beta")) {
      v = u(i);
    } else if (rank >= 2) {
      v = s * std::sqrt(3 / fan_in) * (name.ends_with("attn.fn.to_out.weight") ? 0.1 : 1);
    } else if (rank == 1 && name.ends_with(".weight")) {
      v = 1 + 0.1 * s;
    }
    values[i] = static_cast<float>(v);
  }
}

}  // namespace snapcube::testing
