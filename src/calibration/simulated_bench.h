#pragma once
// A bench whose camera is known: what its detector counts of the mask under narrow-band light, in the dark, of a white
// target, of even light and of a scene. To try a calibration without hardware, and to test it.
//
// The mask is made of squares of one pixel, drawn four times finer. A band's image is the mask (times the scene),
// blurred, turned and scaled about its centre, and moved by the band's position, which follows a prism's 1/λ².
// Electrons are drawn from Poisson's distribution, read noise and black level are added, counts are rounded and cut off
// at full scale.

#include <cstdint>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera_file.h>

#include "calibration/similarity.h"

namespace snapcube {

struct BenchOptions {
  int height = 128;  ///< of the mask
  int width = 128;
  std::vector<double> wavelengths;   ///< bands, nm
  std::vector<double> missing = {};  ///< bands of which there is no capture
  double step = 2;                   ///< pixels from band to band, on average
  Axis axis = Axis::columns;
  double blur = 0.5;         ///< deviation of the optics' spot in pixels, in the middle; a fifth more at both ends
  double turn = 0;           ///< degrees from the first band to the last
  double growth = 0;         ///< share by which the last band is larger than the first
  double angle = 0;          ///< degrees of the dispersion to the axis
  double electrons = 12000;  ///< of an open pixel, in captures
  double gain = 4.5;         ///< electrons a count
  double read_noise = 7;     ///< electrons
  double black_level = 96;   ///< counts
  int bits = 12;
  double hot_share = 2e-4;
  double dead_share = 1e-4;
  std::string scene = "still-life";
  std::uint64_t seed = 1;
};

class SimulatedBench {
 public:
  explicit SimulatedBench(const BenchOptions& options);

  const BenchOptions& options() const { return options_; }
  /// The camera as it is: masks without noise, positions, lamp, detector. Its masks are scaled as calibrate() scales
  /// them.
  const CameraFile& camera() const { return camera_; }
  /// The scene under the lamp, in the units that frames of camera() come in.
  const Cube& radiance() const { return radiance_; }

  /// Counts; `number` tells frames of the same kind apart.
  Image capture(int band, int number = 0) const;
  Image dark(int number) const;
  Image white(int number = 0) const;
  /// The mask without disperser.
  Image mask_picture() const;
  /// Even light, `level` of full scale.
  Image even(double level, int number) const;
  Image shot() const;

 private:
  Image fine_image(const float* values, double deviation) const;
  Image on_detector(const Image& fine, int band) const;
  Image counted(const Image& electrons, std::uint64_t stream) const;
  double deviation(int band) const;
  Similarity motion(int band) const;
  Place centre() const;

  BenchOptions options_;
  int detector_height_ = 0;
  int detector_width_ = 0;
  int top_ = 0;  ///< where the band at position 0 lies
  int left_ = 0;
  std::vector<double> positions_;
  std::vector<double> lamp_;  ///< 1 on average
  double mask_unit_ = 1;      ///< transmission that camera()'s masks call 1
  Image mask_;                ///< 0 and 1
  Cube scene_;                ///< reflectance
  CameraFile camera_;
  Cube radiance_;
  Image offsets_;  ///< what each pixel counts in the dark above black_level
  Image dead_;     ///< 1: counts no light
};

/// Writes a bench into a folder that must not exist or be empty: captures/, dark/, exposures/, white/, mask.png,
/// shot.png, and truth/camera.h5, truth/scene.h5. PNGs of 16 bits hold counts.
void write_bench(const SimulatedBench& bench, const std::string& folder);

}  // namespace snapcube
