#pragma once
// An image of values in the colours of error maps, black to pale yellow.

#include <snapcube/array.h>

#include "render/canvas.h"

namespace snapcube {

/// How often each pixel is repeated: small frames become as large as a person needs to see windows in them.
int map_zoom(const Image& map);
/// `low` is black, `high` pale yellow.
Canvas map_picture(const Image& map, double low, double high);

}  // namespace snapcube
