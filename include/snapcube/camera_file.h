#pragma once
/// A camera as a file, camera.h5: mask, positions, wavelengths, detector. docs/camera.md describes it.

#include <map>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/detector.h>
#include <snapcube/io.h>

namespace snapcube {

struct CameraFile {
  Image mask;  ///< one for all bands; empty where there is one for each
  Cube masks;  ///< one for each band; empty where there is one for all
  Axis axis = Axis::columns;
  std::vector<double> wavelengths;  ///< centre of each band in nm; empty: not known
  std::vector<double> positions;    ///< of each band on the detector, in pixels
  /// A smooth curve through the positions: Σ_k c_k t^k with t = (2λ − first − last)/(last − first). Empty: none.
  std::vector<double> curve;
  /// What a white target gives in each band (lamp × sensor), 1 on average; a cube divided by it is a reflectance.
  std::vector<double> band_gains;
  Detector detector;
  /// Where it comes from: files, dates, program version.
  std::map<std::string, std::string> provenance;

  int bands() const { return static_cast<int>(positions.size()); }
  /// Where light of a wavelength arrives: by the curve, or between the neighbouring samples.
  double position(double wavelength) const;
  /// The same camera with other bands inside its range: positions by position(), masks and gains between neighbours.
  CameraFile at(const std::vector<double>& wavelengths) const;
  Camera camera() const;
};

/// Throws InputError for what is no camera: a field is missing, of another size, not finite, or the file is of a later
/// version. Also reads the MATLAB v7.3 files that hold the same variables.
CameraFile read_camera(const std::string& path, const ReadOptions& options = {});
void write_camera(const CameraFile& camera, const std::string& path);
/// Whether an HDF5 file has what makes a camera.
bool is_camera_file(const std::string& path);

/// What a file of masks holds: one for all bands, or one for each.
struct MaskFile {
  Image mask;
  Cube masks;
  /// Each mask lies where its band falls on the detector, as some toolboxes store them ("mask_3d_shift").
  bool shifted = false;
};
/// A mask, or masks per band in any order of axes. An array whose name has "shift" in it is taken as shifted.
MaskFile read_masks(const std::string& location, const ReadOptions& options = {});
/// Masks as they lie on the detector, height × (width + span), cut out at the positions of the options; back again with
/// shifted_masks. Throws InputError for positions that are not whole pixels, and where light lies outside of them: they
/// are then not the positions that the file was made with.
Cube unshifted_masks(const Cube& shifted, const CameraOptions& options, const std::string& source);
Cube shifted_masks(const Camera& camera);

}  // namespace snapcube
