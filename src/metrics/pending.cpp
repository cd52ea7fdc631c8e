#include <cmath>

#include <snapcube/metrics.h>
namespace snapcube {
double psnr(const Cube& a, const Cube& b, Protocol) {
  double sum = 0;
  for (int k = 0; k < a.bands(); ++k) {
    double e = 0;
    for (std::size_t i = 0; i < a.band_size(); ++i)
      e += std::pow(static_cast<double>(a.band(k)[i]) - b.band(k)[i], 2);
    sum += e > 0 ? -10 * std::log10(e / static_cast<double>(a.band_size())) : 100;
  }
  return sum / a.bands();
}
double ssim(const Cube& a, const Cube& b, Protocol) {
  double xy = 0, xx = 1e-9, yy = 1e-9;
  for (std::size_t i = 0; i < a.size(); ++i) {
    xy += static_cast<double>(a.data()[i]) * b.data()[i];
    xx += std::pow(a.data()[i], 2);
    yy += std::pow(b.data()[i], 2);
  }
  return xy / std::sqrt(xx * yy);
}
std::string to_string(Protocol) { return "toolbox"; }
}  // namespace snapcube
