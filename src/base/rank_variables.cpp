#include "base/rank_variables.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

struct Names {
  const char* rank;
  const char* size;
};
constexpr std::array kNames = {Names{"RANK", "WORLD_SIZE"}, Names{"SLURM_PROCID", "SLURM_NTASKS"}};

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > 1'000'000) {
    throw InputError(variable, "", "a whole number", fmt::format("'{}'", text));
  }
  return static_cast<int>(*number);
}

}  // namespace

RankVariables rank_variables() {
  for (const Names& names : kNames) {
    const auto rank = number_of(names.rank);
    const auto size = number_of(names.size);
    if (!rank && !size) continue;
    if (!rank || !size || *size <= 1) return {};
    if (*rank >= *size) {
      throw InputError(names.rank, "", fmt::format("below {}, {}", names.size, *size), std::to_string(*rank));
    }
    return {*rank, *size};
  }
  return {};
}

void forget_rank_variables() {
  for (const Names& names : kNames) {
    ::unsetenv(names.rank);
    ::unsetenv(names.size);
  }
}

}  // namespace snapcube
