#pragma once
// Crops of enlarged scenes.

#include <cstddef>

#include <snapcube/array.h>

namespace snapcube {

/// Rows or columns that an enlarged crop of `size` needs of the scene.
int zoomed_extent(int size, double zoom);

/// `height` × `width` values of a plane of rows × columns that is enlarged `zoom` times about its first pixel's outer
/// corner: out(y, x) is the plane at ((y + ½)/zoom − ½, (x + ½)/zoom − ½), by the cubic of Catmull and Rom in each
/// direction, the outermost values repeated, clamped to [0, 1]. `work` is scratch.
void enlarge(const float* plane, int rows, int columns, double zoom, int height, int width, float* out,
             std::ptrdiff_t out_stride, FloatBuffer& work);

}  // namespace snapcube
