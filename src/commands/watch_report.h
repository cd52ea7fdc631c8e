#pragma once
// What `snapcube watch` tells while it runs: a line for each frame, and the status line; or JSON lines.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/camera.h>

#include "live/frame.h"
#include "live/rate.h"

namespace snapcube {

/// A cube that was made of a frame.
struct WatchedCube {
  std::string input;
  std::string output;                ///< path of the cube; empty where none is written
  double seconds = 0;                ///< that the method took
  double misfit = 0;                 ///< Camera::misfit
  std::optional<double> shown = {};  ///< seconds from the frame's arrival until the page could have it
  live::Clock::time_point arrived = {};
  live::Clock::time_point done = {};
  int saturated = 0;  ///< pixels that were left out
  int bad = 0;
};

class WatchReport {
 public:
  explicit WatchReport(bool json) : json_(json) {}

  /// address: of the page; empty without one.
  void begin(const std::string& source, const std::string& method, const Camera& camera, const std::string& address);
  void cube(const WatchedCube& done, std::size_t waiting);
  void passed_over(const std::string& input, const std::string& why);
  void dropped(const std::string& input);
  /// The status line of a terminal. done: the share of a cube that takes long, 0 … 1.
  void status(std::size_t waiting, std::optional<double> done = std::nullopt);
  /// What was done in all.
  void end(bool interrupted);

  std::int64_t cubes() const { return cubes_; }
  std::int64_t dropped() const { return dropped_; }
  std::int64_t passed_over() const { return passed_over_; }
  const live::Rate& rate() const { return rate_; }

 private:
  const bool json_;
  live::Rate rate_;
  std::int64_t cubes_ = 0;
  std::int64_t dropped_ = 0;
  std::int64_t passed_over_ = 0;
};

}  // namespace snapcube
