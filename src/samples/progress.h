#pragma once
// What a person sees of a training: one line, rewritten in place on a terminal. Without a terminal nothing is shown;
// log.jsonl has it all.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace snapcube {

struct TrainingState {
  std::int64_t step = 0;  ///< steps done
  std::int64_t steps = 0;
  double loss = 0;             ///< mean of recent steps
  std::optional<double> psnr;  ///< dB of the last validation
  double samples_per_second = 0;
  double seconds_left = 0;
  double waiting = 0;  ///< share of the time spent waiting for data
};

/// "step 1200/500000 · loss 0.0312 · 31.42 dB · 3.1 samples/s · 3 h 10 min left · 0.4 % waiting"
std::string progress_text(const TrainingState& state);

/// Rates and means over the recent steps.
class TrainingMeter {
 public:
  /// samples_per_step: over all ranks and accumulated batches.
  TrainingMeter(std::int64_t first_step, std::int64_t steps, int samples_per_step);

  /// One step is done: it took `seconds`, `waiting` of them for data.
  void add_step(double loss, double seconds, double waiting);
  void set_psnr(double decibels) { state_.psnr = decibels; }
  const TrainingState& state() const { return state_; }

 private:
  struct Step {
    double loss;
    double seconds;
    double waiting;
  };
  TrainingState state_;
  int samples_per_step_;
  std::deque<Step> recent_;
};

/// Shows states, at most ten times a second.
class TrainingLine {
 public:
  ~TrainingLine();
  void show(const TrainingState& state);

 private:
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace snapcube
