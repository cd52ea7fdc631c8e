#pragma once
// From measurements to cubes, one or thousands: while one is computed, the next is read and the last is written.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/detector.h>
#include <snapcube/reconstructor.h>
#include <snapcube/reflectance.h>

#include "commands/options.h"

namespace snapcube {

struct FrameJob {
  std::string input;
  std::string output;
  std::string preview;         ///< a picture; empty: none
  std::string sparsity_map;    ///< another
  std::string expected_error;  ///< a third, or an array
};

struct FrameOutcome {
  double seconds = 0;  ///< of the method
  double misfit = 0;   ///< of cube and measurement, see Camera::misfit
  int saturated = 0;   ///< raw pixels that were left out
  int bad = 0;
  std::optional<double> psnr = std::nullopt;
  std::optional<PassReport> passes = std::nullopt;      ///< of networks
  std::optional<double> expected_error = std::nullopt;  ///< its mean, where the method has one
  std::string error = {};                               ///< why there is no cube
};

/// What all frames have in common.
struct FrameWork {
  Reconstructor& method;
  const Camera& camera;
  const Detector& detector;
  const FrameFlags& frames;
  const PreviewFlags& previews;
  ReadOptions read;
  WriteOptions write;
  std::optional<Cube> truth = std::nullopt;
  std::optional<WhiteReference> white = std::nullopt;  ///< cubes become reflectance
};

/// Makes the cubes, in order. A frame that cannot be read or does not fit is an outcome with an error; where there is
/// one job only, it is thrown. A cube that cannot be written (a full disk) ends the run with Error, Ctrl-C with
/// Interrupted; what was computed is written before. `settled` is called for one job after the other, after its cube
/// was renamed into place, maybe by another thread.
void run_frames(const std::vector<FrameJob>& jobs, const FrameWork& work,
                const std::function<void(std::size_t job, FrameOutcome outcome)>& settled);

}  // namespace snapcube
