#pragma once
// From an array as it stands in a file to a Cube or an Image: which axis is which, what the numbers
// mean.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/io.h>

#include "io/format.h"

namespace snapcube::io {

/// What the values are; decides which of them are surprising.
/// Counts are numbers as they are: neither scaled nor surprising.
enum class Meaning { cube, measurement, mask, counts };

/// Place of an array in messages, and the element that was asked for: pred[3].
struct Selection {
  std::string source;  ///< "results.mat"
  std::string name;    ///< "pred"; may be empty
  std::optional<std::int64_t> index;
};

/// Unsigned integers are divided by their type's largest value, or scaled as the file says. Signed
/// ones too; negative integers are refused, since their zero is unknown. Integers of 32 and 64 bits
/// must be 0 and 1 (taken as they are) or come with a scale. In a mask, integers that are all 0 and
/// 1 are taken as they are.
Cube to_cube(const StoredArray& array, const Selection& selection, const ReadOptions& options);
Cube to_cube(const StoredArray& array, Meaning meaning, const Selection& selection, const ReadOptions& options);
Image to_image(const StoredArray& array, Meaning meaning, const Selection& selection, const ReadOptions& options);

/// The shape with extents of 1 left out, from the front, while it has more than `rank` dimensions.
std::vector<std::int64_t> without_singletons(std::vector<std::int64_t> shape, std::size_t rank);

/// The order that three sizes tell: an axis is the bands' if it is the shortest and either the
/// other two are equal or both are at least half as long again. automatic when they do not tell.
CubeLayout layout_from_sizes(const std::vector<std::int64_t>& shape);

/// A cube that is written as height × width × bands may be read otherwise when neither file nor
/// sizes tell: warns about that.
void warn_if_layout_is_misread(const SaveRequest& request, const std::string& path);

}  // namespace snapcube::io
