#include "io/choose.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <vector>

#include <snapcube/error.h>

#include "base/printable.h"
#include "base/text.h"
#include "io/companions.h"

namespace snapcube::io {

namespace {

/// The names in use for each kind of array, the likeliest first.
std::span<const std::string_view> usual_names(Meaning meaning) {
  static constexpr std::string_view kCubes[] = {"img",  "img_expand", "data_slice", "HSI",
                                                "cube", "res",        "pred",       "truth"};
  static constexpr std::string_view kMeasurements[] = {"meas_real", "simulation_test", "meas", "y"};
  static constexpr std::string_view kMasks[] = {"mask", "mask_3d", "mask3d", "mask_3d_shift"};
  switch (meaning) {
    case Meaning::cube:
      return kCubes;
    case Meaning::measurement:
    case Meaning::counts:
      return kMeasurements;
    case Meaning::mask:
      break;
  }
  return kMasks;
}

bool usual_for_another(std::string_view name, Meaning meaning) {
  for (const Meaning other : {Meaning::cube, Meaning::measurement, Meaning::mask}) {
    if (other != meaning && std::ranges::count(usual_names(other), name) > 0) return true;
  }
  return false;
}

std::string contents(const FileInfo& file) {
  constexpr std::size_t kShown = 20;
  std::string list;
  for (const ArrayInfo& array : std::span(file.arrays).first(std::min(file.arrays.size(), kShown))) {
    list += fmt::format("{}{} ({} {})", list.empty() ? "" : ", ",
                        array.name.empty() ? "an array" : shortened(array.name), shape_text(array.shape), array.type);
  }
  if (file.arrays.size() > kShown) list += fmt::format(", … {} in all", file.arrays.size());
  return list.empty() ? "no arrays" : list;
}

std::size_t rank_of(Meaning meaning) { return meaning == Meaning::cube ? 3 : 2; }

/// Whether the array, with the location's index, has `rank` dimensions.
bool has_rank(const ArrayInfo& array, const Location& location, std::size_t rank) {
  if (location.index) {
    if (array.shape.size() <= rank) return false;
    std::vector<std::int64_t> element(array.shape.begin() + 1, array.shape.end());
    return without_singletons(std::move(element), rank).size() == rank;
  }
  return without_singletons(array.shape, rank).size() == rank;
}

/// A row, a column or a single value: more likely a parameter than an image.
bool is_thin(const ArrayInfo& array) { return std::ranges::count(without_singletons(array.shape, 2), 1) > 0; }

using Candidates = std::vector<const ArrayInfo*>;

/// Readable arrays of the rank; rows and columns only where there is nothing else.
Candidates fitting(const FileInfo& file, const Location& location, std::size_t rank) {
  Candidates all;
  for (const ArrayInfo& array : file.arrays) {
    if (array.readable && has_rank(array, location, rank) && !is_companion(array, file)) {
      all.push_back(&array);
    }
  }
  Candidates wide;
  std::ranges::remove_copy_if(all, std::back_inserter(wide), [](const ArrayInfo* array) { return is_thin(*array); });
  return rank > 2 || wide.empty() ? all : wide;
}

Candidates without_names_of_others(Candidates candidates, Meaning meaning) {
  std::erase_if(candidates, [&](const ArrayInfo* array) { return usual_for_another(array->name, meaning); });
  return candidates;
}

const ArrayInfo* usual(const Candidates& candidates, Meaning meaning) {
  for (const std::string_view name : usual_names(meaning)) {
    for (const ArrayInfo* array : candidates) {
      if (array->name == name) return array;
    }
  }
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

std::string named(const FileInfo& file, const Location& location) {
  const auto array = std::ranges::find(file.arrays, location.variable, &ArrayInfo::name);
  if (array == file.arrays.end()) {
    throw InputError(file.path, "", fmt::format("a variable '{}'", location.variable), contents(file));
  }
  if (!array->readable) {
    throw InputError(file.path, fmt::format("'{}'", array->name), "an array of real numbers", array->type);
  }
  return array->name;
}

}  // namespace

std::string choose_array(const FileInfo& file, const Location& location, Meaning meaning) {
  if (!location.variable.empty()) return named(file, location);
  // A format without names has one array; whether it fits is seen when it is converted.
  if (file.arrays.size() == 1 && file.arrays[0].readable) return file.arrays[0].name;

  const std::size_t rank = rank_of(meaning);
  const Candidates all = fitting(file, location, rank);
  const Candidates likely = without_names_of_others(all, meaning);
  if (const ArrayInfo* array = usual(likely, meaning)) return array->name;
  if (likely.empty() && !location.index) {
    // One dimension more: the conversion then tells how to write the index.
    const Candidates batches = without_names_of_others(fitting(file, location, rank + 1), meaning);
    if (const ArrayInfo* array = usual(batches, meaning)) return array->name;
  }
  if (likely.empty() && all.size() == 1) return all.front()->name;
  const Candidates& candidates = likely.empty() ? all : likely;
  const std::string expected =
      candidates.empty() ? fmt::format("an array of real numbers with {} dimensions", rank + (location.index ? 1 : 0))
                         : fmt::format("one array with {} dimensions (to pick one, write {}:{})",
                                       rank + (location.index ? 1 : 0), file.path, candidates.front()->name);
  throw InputError(file.path, "", expected, contents(file));
}

}  // namespace snapcube::io
