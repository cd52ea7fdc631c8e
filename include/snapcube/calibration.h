#pragma once
/// From a bench's captures to a camera: the mask under narrow-band light, one frame a wavelength, and dark frames; if
/// there are any, a white target, frames at several exposures, and the mask without disperser. docs/calibration.md has
/// the formulas.
///
/// Thread safety: any thread may call these functions at any time, but for HDF5 files (see io.h).

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera_file.h>
#include <snapcube/detector.h>
#include <snapcube/io.h>

namespace snapcube {

/// A frame of the mask, through the disperser, under light of one wavelength.
struct NarrowCapture {
  std::string location;  ///< a file, or one frame of it: "stack.tif:[3]"
  double wavelength;     ///< nm
};

/// A frame of even light. Frames of one exposure follow each other and belong to the same group.
struct ExposureFrame {
  std::string location;
  std::string exposure;
};

/// Captures with the wavelengths that their names tell: "532nm.png", "cap_532.5nm.tif", "550.tif". A location is a
/// file, a folder of them, a stack that has its wavelengths inside, or a list (.csv: file,wavelength). Ascending
/// wavelengths. Throws InputError for a name without wavelength and for a wavelength that comes twice. Frames without a
/// header are taken by any extension: `raw`.
std::vector<NarrowCapture> find_captures(const std::vector<std::string>& locations, bool raw = false);
/// Frames at several exposures: of a folder by their names up to the last '_' or '-' ("10ms_1.png", "10ms_2.png"), of
/// stacks one exposure a stack, of a list (.csv) by its second column.
std::vector<ExposureFrame> find_exposures(const std::string& location, bool raw = false);
/// The files of a folder, or the file.
std::vector<std::string> find_frames(const std::vector<std::string>& locations, bool raw = false);

struct CalibrationInput {
  std::vector<NarrowCapture> captures;
  std::vector<std::string> dark;         ///< the more the better
  std::vector<std::string> white;        ///< a white target under the lamp in use; may be empty
  std::vector<ExposureFrame> exposures;  ///< for the gain; may be empty
  std::string mask_picture;              ///< the mask without disperser; may be empty
};

struct CalibrationOptions {
  /// Bands of the camera in nm, inside the range of the captures; empty: those of the captures.
  std::vector<double> wavelengths = {};
  /// Direction of the dispersion; nothing: that in which the captures move further.
  std::optional<Axis> axis = std::nullopt;
  /// Where the mask lies in the capture of the smallest position; nothing: where the light is.
  std::optional<Region> mask_region = std::nullopt;
  /// Counts from which on a pixel is full; nothing: where the brightest frames pile up.
  std::optional<double> saturation = std::nullopt;
  /// Degree of the curve, 1 … 6; nothing: the smallest that predicts left-out captures as well as any.
  std::optional<int> degree = std::nullopt;
  /// How frames without a header are meant.
  std::optional<RawLayout> raw = std::nullopt;
  ReadOptions read = {};
};

/// What was found of one capture. Angles and scales are those against the capture in the middle.
struct CaptureFinding {
  std::string location;
  double wavelength = 0;
  double position = 0;  ///< along the dispersion, pixels; as the camera's positions, 0 is the smallest of the curve
  double fitted = 0;    ///< by the curve
  double across = 0;    ///< across the dispersion, pixels
  double turn = 0;      ///< radians
  double scale = 1;
  double correlation = 0;  ///< with the mask that all captures together show, 0 … 1
  double contrast = 0;     ///< deviation of the pattern over its local mean: 1 for a sharp half-open mask
  double brightness = 0;   ///< mean count above black inside the mask
  double saturated = 0;    ///< share of the lit pixels
  bool outlier = false;    ///< left out of the curve
  double residual() const { return position - fitted; }
};

/// Frames of one exposure.
struct ExposureLevel {
  std::string exposure;
  double signal = 0;     ///< mean count above black
  double variance = 0;   ///< of one frame, counts²
  double pixels = 0;     ///< that it was found with
  double saturated = 0;  ///< share
  bool used = false;
};

struct DetectorFinding {
  double black_level = 0;
  int dark_frames = 0;
  double dark_noise = 0;  ///< counts from frame to frame; 0: not known
  bool pattern = false;   ///< the dark frame has a pattern of its own, beyond noise
  int hot = 0;
  int dead = 0;
  double gain = 0;        ///< electrons a count; 0: not known
  double gain_error = 0;  ///< its standard error
  double read_noise = 0;  ///< electrons; 0: not known
  double saturation = 0;  ///< counts; 0: not known
  double full_well = 0;   ///< electrons at saturation; 0: not known
  std::vector<ExposureLevel> levels;
};

/// A reason to look again. Grave ones make the verdict "not reliable".
struct Doubt {
  std::string sentence;
  bool grave = false;
};

struct Calibration {
  CameraFile camera;
  std::vector<CaptureFinding> captures;
  DetectorFinding detector;
  int degree = 0;           ///< of the curve
  double rms_residual = 0;  ///< pixels, over the captures that are no outliers
  double largest_residual = 0;
  double left_out_error = 0;  ///< rms of the error at captures that the curve was not told of, pixels
  double corner = 0;          ///< the furthest that rotation and scale move a corner of the mask, pixels
  bool resampled = false;  ///< corner is above 0.2 pixels: neighbours were turned and scaled before they were averaged
  double angle = 0;        ///< of the dispersion to the axis, radians
  std::vector<double> contrast;               ///< of each band's mask
  double white_misfit = 0;                    ///< what the white target has that the bands do not explain; 0: no target
  std::optional<double> picture_correlation;  ///< of the mask without disperser and the mask found
  double picture_position = 0;                ///< where the mask lies without disperser, as positions do
  std::vector<Doubt> doubts;
  std::string verdict;  ///< in words
};

/// Called with what is being done and how much of everything is, 0 … 1; false stops, and calibrate() throws
/// Interrupted.
using CalibrationProgress = std::function<bool(const std::string& step, double done)>;

/// Throws InputError that names the file and what is wrong with it: too few wavelengths, frames of different sizes,
/// dark frames brighter than captures, all pixels saturated, no contrast.
Calibration calibrate(const CalibrationInput& input, const CalibrationOptions& options = {},
                      const CalibrationProgress& progress = {});

}  // namespace snapcube
