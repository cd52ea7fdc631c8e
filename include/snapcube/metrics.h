#pragma once
/// How close a reconstruction is to the truth. Cubes must have the same shape; InputError otherwise.
///
/// Thread safety: any thread may call these functions at any time.

#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// Three PSNR protocols are in use. They differ by some tenths of a dB, so always name the one you used.
enum class Protocol {
  toolbox,  ///< round(256·x) of both, no clamp, peak 255; SSIM on raw values with zero padding
  uint8,    ///< clamp to [0,1], round(255·x), peak 255; SSIM on those, valid region only
  float32,  ///< clamp to [0,1], peak 1; SSIM on those, valid region only
};

/// "toolbox", "uint8", "float". Throws InputError otherwise.
Protocol parse_protocol(std::string_view name);
std::string to_string(Protocol protocol);

/// Mean over bands of the per-band dB; a perfect band counts as 100 dB.
double psnr(const Cube& image, const Cube& truth, Protocol protocol = Protocol::toolbox);
std::vector<double> psnr_per_band(const Cube& image, const Cube& truth, Protocol protocol = Protocol::toolbox);

/// Mean over bands; 11×11 Gaussian window, σ 1.5. With uint8 and float an image smaller than the window is
/// an InputError.
double ssim(const Cube& image, const Cube& truth, Protocol protocol = Protocol::toolbox);
std::vector<double> ssim_per_band(const Cube& image, const Cube& truth, Protocol protocol = Protocol::toolbox);

// The measures from here on take the values as they are, neither clamped nor rounded.

/// Spectral angle, mean over pixels, degrees. Pixels that are black in either cube do not count; NaN if none
/// is left.
double sam(const Cube& image, const Cube& truth);
/// 100·sqrt(mean over bands of MSE_b/mean_b²), mean_b of the truth; resolution ratio 1. Bands whose mean is 0
/// do not count; NaN if none is left.
double ergas(const Cube& image, const Cube& truth);
/// Root of the mean squared error on 0 … 255.
double rmse(const Cube& image, const Cube& truth);
/// Universal image quality index: 32×32 windows at every position, mean over windows, then over bands. An
/// image smaller than the window is an InputError.
double uiqi(const Cube& image, const Cube& truth);
/// Pearson's correlation of the region's mean spectra; NaN if one of them is constant.
double spectral_correlation(const Cube& image, const Cube& truth, const Region& region);

/// Everything at once. SSIM and UIQI are NaN where the image is smaller than their windows.
struct Scores {
  double psnr, ssim, sam, ergas, rmse, uiqi;
};
Scores score(const Cube& image, const Cube& truth, Protocol protocol = Protocol::toolbox);

}  // namespace snapcube
