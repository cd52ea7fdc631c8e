#pragma once
// A network whose cube does not explain the measurement gets the remainder again (Bregman iteration):
//
//   x ← N(y'),   r = y − Φx,   y' ← y' + r
//
// then a solver looks for what is left (GAP-TV on r, added). Where the first cube is far off, the lamp may be one that
// the network does not know: it sees the scene without the lamp's lines (methods/lamp.h), or the solver's cube is
// taken. docs/feedback.md has what was measured.

#include <functional>
#include <optional>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/reconstructor.h>

#include "solvers/gap_solver.h"

namespace snapcube {

struct FeedbackOptions {
  /// Runs of the network; 0: as many as make the misfit fall, at most kMostPasses.
  int passes = 1;
  /// Whether the solver works on the remainder; with passes = 0 it also helps with lamps.
  bool refine = false;
  /// The network takes masks per band with any gains, so that a lamp's lines can be a part of its camera.
  bool knows_gains = false;
};
constexpr int kMostPasses = 3;

/// Keeps its memory from frame to frame, as long as the camera is the same.
class Feedback {
 public:
  /// From a measurement to a cube, in the units of "sum over bands"; `report` takes the share that is done. The camera
  /// is the one given to run(), or it with a lamp's lines in its masks.
  using Network =
      std::function<void(const Image& y, const Camera& camera, const std::function<void(double)>& report, Cube& x)>;
  using Report = std::function<void(double)>;
  /// Called after each pass whose cube is kept, the last call being that of the final one.
  using Kept = std::function<void()>;

  /// Fills x (bands × height × width). y is in the network's units.
  void run(const Image& y, const Camera& camera, const FeedbackOptions& options, const Network& network,
           const Report& report, Cube& x, const Kept& kept = {});
  const PassReport& passes() const { return told_; }

 private:
  void prepare(const Camera& camera);
  GapSolver& solver();
  double pass(const Network& network, const Image& input, const std::vector<float>* gains, const Image& y, Cube& x);
  void repeat(const Network& network, const std::vector<float>* gains, const Image& y, int most, Cube& x);
  void take_off_lines();
  void keep(int pass);
  bool settle_lamp(const Network& network, const Image& y, double first, Cube& x);
  void refine(const Image& y, Cube& x);
  void next_input(bool relit);

  std::optional<Camera> camera_;  ///< a copy of the last one
  std::optional<Camera> relit_;   ///< that one with the lines in its masks
  bool knows_gains_ = false;
  Image given_;                  ///< y' = y and all remainders so far
  Image seen_;                   ///< Φs, of the scene as the network sees it
  Image explained_;              ///< Φx
  Image input_;                  ///< what the network gets
  Image to_relit_, from_relit_;  ///< diagonals of (ΦG²Φᵀ)⁻¹ and ΦGΦᵀ
  Image kept_;                   ///< y' of the passes that go on
  double white_ = 0;             ///< ‖Φ1‖
  double unit_ = 0;              ///< brightness of the frame
  std::vector<float> gains_;     ///< g, the lamp's lines
  std::vector<float> inverse_;   ///< 1/g
  Cube trial_;
  Cube solved_;  ///< the solver's
  std::optional<GapSolver> solver_;
  PassReport told_;
  Report report_;
  Kept on_keep_;
  int stages_ = 1;  ///< that there will be
  int stage_ = 0;   ///< that are done
};

}  // namespace snapcube
