#pragma once
// The discrete Fourier transform of images whose sides are powers of two.

#include <complex>
#include <vector>

namespace snapcube {

/// Rows of `width` values, one after the other.
struct Spectrum {
  int height = 0;
  int width = 0;
  std::vector<std::complex<float>> values;
};

/// The smallest power of two that is at least n.
int power_of_two(int n);
/// In place; both sides are powers of two. Backwards it divides by the number of values, so that both together change
/// nothing.
void fourier(Spectrum& image, bool backwards);

}  // namespace snapcube
