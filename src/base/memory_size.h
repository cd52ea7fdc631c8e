#pragma once
// Sizes in memory as users write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace snapcube {

inline constexpr std::uint64_t kMegabyte = 1'000'000;

/// "512", "800M", "1.5 GiB": k, M, G and T are powers of 1024. A number without a unit counts `alone` bytes each.
/// Nothing for what is no size, or one above 10¹⁸.
std::optional<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t alone = 1);

}  // namespace snapcube
