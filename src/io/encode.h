#pragma once
// The values of a SaveRequest as the bytes of the wanted type, and the small texts that go beside
// them.

#include <string>
#include <string_view>

#include "io/format.h"

namespace snapcube {

struct Encoded {
  ElementType type = ElementType::f32;
  std::vector<std::byte> bytes;  ///< [bands][height][width], native byte order
  /// What the largest integer stands for; nothing for floats.
  std::optional<double> scale;
};

/// `automatic` gives f32.
Encoded encode(const SaveRequest& request);

/// The largest integer of a type: 255, 32767, …
double largest_integer(ElementType type);
bool is_integer(ElementType type);

/// A finite number above 0, such as a scale or a wavelength; an InputError otherwise.
double positive_number(std::string_view text, const std::string& source, const std::string& field);

}  // namespace snapcube
