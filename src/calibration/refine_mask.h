#pragma once
// Masks between pixels: sampling along a line, blur, contrast.

#include <snapcube/array.h>

namespace snapcube {

/// How a mask is read between its pixels. Of a mask of holes that are whole pixels, a pixel's share of a hole is what
/// linear interpolation gives; a measured one is smooth, and linear interpolation would blur it.
enum class MaskReading { linear, cubic };
/// Linear for masks of two values.
MaskReading reading_of(const Image& mask);

/// A straight line of pixels over a mask: row + i·row_step, column + i·column_step.
struct MaskLine {
  double row = 0;
  double column = 0;
  double row_step = 0;
  double column_step = 1;
};
/// out[i] = mask at the i-th place; beyond the edge that of the nearest pixel.
void sample_mask(const Image& mask, MaskReading reading, const MaskLine& line, int count, float* out);

/// A blur of this variance, up to 2, in both directions: four times (v/8, 1 − v/4, v/8) of each pixel and its
/// neighbours. Below 0 it sharpens.
Image blurred_mask(const Image& mask, double variance);

/// mean + contrast·(m − mean).
struct MaskContrast {
  float factor = 1;
  float offset = 0;
};
MaskContrast contrast_of(const Image& mask, double contrast);
/// The largest contrast that leaves a mask's dark parts (its first percentile) at 0 or above.
double most_contrast(const Image& mask);

}  // namespace snapcube
