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
constexpr Names kSlurm = {"SLURM_PROCID", "SLURM_NTASKS"};
constexpr std::array kNames = {Names{"RANK", "WORLD_SIZE"}, Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                               Names{"PMI_RANK", "PMI_SIZE"}, Names{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                               kSlurm};

constexpr const char* kArrayId = "SLURM_ARRAY_TASK_ID";
constexpr const char* kArrayCount = "SLURM_ARRAY_TASK_COUNT";
constexpr const char* kArrayMin = "SLURM_ARRAY_TASK_MIN";
constexpr const char* kArrayMax = "SLURM_ARRAY_TASK_MAX";

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  const auto number = parse_int(text);
  constexpr int kMost = 100'000'000;  // Slurm's numbers of array jobs can be large
  if (!number || *number < 0 || *number > kMost) {
    throw InputError(variable, "", "a whole number", fmt::format("'{}'", text));
  }
  return static_cast<int>(*number);
}

/// A batch script has the variables of its first task, but srun alone starts tasks.
bool in_batch_script() { return std::getenv("SLURM_JOB_ID") && !std::getenv("SLURM_STEP_ID"); }

/// This job among those of its array.
RankVariables array_variables() {
  const auto id = number_of(kArrayId);
  const int count = number_of(kArrayCount).value_or(1);
  if (!id || count <= 1) return {};
  const int first = number_of(kArrayMin).value_or(0);
  const int last = number_of(kArrayMax).value_or(first + count - 1);
  const int step = (last - first) / (count - 1);
  if (step < 1 || first + step * (count - 1) != last || *id < first || *id > last || (*id - first) % step != 0) {
    throw InputError(kArrayId, "", "one of an array with even steps, such as 0-9 or 0-9:3",
                     fmt::format("{} of {} from {} to {}", *id, count, first, last));
  }
  return {(*id - first) / step, count};
}

}  // namespace

RankVariables rank_variables() {
  for (const Names& names : kNames) {
    if (names.rank == kSlurm.rank && in_batch_script()) continue;
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

RankVariables share_variables() {
  const RankVariables job = array_variables();
  const RankVariables process = rank_variables();
  constexpr int kMost = 1'000'000;
  if (job.size > kMost / process.size) {
    throw InputError(kArrayCount, "", fmt::format("at most {} processes", kMost),
                     fmt::format("{} jobs of {}", job.size, process.size));
  }
  return {job.rank * process.size + process.rank, job.size * process.size};
}

void forget_rank_variables() {
  for (const Names& names : kNames) {
    ::unsetenv(names.rank);
    ::unsetenv(names.size);
  }
  ::unsetenv(kArrayId);
}

}  // namespace snapcube
