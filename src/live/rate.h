#pragma once
// How fast it goes: cubes a second and the delay from a frame's arrival to its cube, over the last ones.

#include <deque>

#include "live/frame.h"

namespace snapcube::live {

class Rate {
 public:
  void add(Clock::time_point arrived, Clock::time_point done);
  /// Cubes a second over the last ten seconds (at most the last hundred cubes); 0 before the second one, and when
  /// nothing came for so long.
  double per_second(Clock::time_point now) const;
  /// Median delay of the same, in seconds; 0 before the first.
  double latency() const;

 private:
  struct Done {
    Clock::time_point when;
    double latency;
  };
  std::deque<Done> last_;
};

}  // namespace snapcube::live
