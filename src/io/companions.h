#pragma once
// Small arrays that stand beside a variable in .mat, .npz and .h5 files: the wavelengths of its
// bands, and <variable>_scale, the value that its largest integer stands for.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <snapcube/io.h>

#include "io/format.h"

namespace snapcube::io {

/// The names under which others store wavelengths; the first is the one we write.
bool is_wavelength_name(std::string_view name);
std::string scale_name(std::string_view variable);

/// Whether one of the arrays is another's companion, and so no cube or image.
bool is_companion(const ArrayInfo& array, const FileInfo& file);

/// A companion is small: more elements than this are not looked at.
constexpr std::uint64_t kMaxWavelengths = 100'000;

/// Number of elements of a readable vector or single value that is small enough; nothing for other
/// arrays.
std::optional<std::uint64_t> vector_length(const ArrayInfo& array);

/// The elements of a small array as doubles.
std::vector<double> as_doubles(const StoredArray& array);

/// Whether the numbers can be wavelengths in nm: finite, between 100 and 20000.
bool plausible_wavelengths(const std::vector<double>& values);

/// Loads the companions of `array` with `load(name)`; those that do not fit are left out.
template <typename Load>
void attach_companions(StoredArray& array, const FileInfo& file, Load&& load);
/// The wavelengths that describe() reports.
template <typename Load>
void find_wavelengths(FileInfo& file, Load&& load);

template <typename Load>
void attach_companions(StoredArray& array, const FileInfo& file, Load&& load) {
  for (const ArrayInfo& other : file.arrays) {
    const auto length = vector_length(other);
    if (!length || other.name == array.name) continue;
    if (other.name == scale_name(array.name) && *length == 1) {
      const std::vector<double> scale = as_doubles(load(other.name));
      if (!scale.empty()) array.scale = scale[0];
    }
    const bool fits = std::ranges::count(array.shape, static_cast<std::int64_t>(*length)) > 0;
    if (is_wavelength_name(other.name) && fits && array.wavelengths.empty()) {
      std::vector<double> values = as_doubles(load(other.name));
      if (plausible_wavelengths(values)) array.wavelengths = std::move(values);
    }
  }
}

template <typename Load>
void find_wavelengths(FileInfo& file, Load&& load) {
  for (const ArrayInfo& array : file.arrays) {
    if (!file.wavelengths.empty()) return;
    if (!is_wavelength_name(array.name) || !vector_length(array)) continue;
    std::vector<double> values = as_doubles(load(array.name));
    if (plausible_wavelengths(values)) file.wavelengths = std::move(values);
  }
}

}  // namespace snapcube::io
