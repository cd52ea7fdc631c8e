#include "samples/progress.h"

#include <fmt/format.h>

#include "base/terminal.h"

namespace snapcube {

namespace {
/// Steps that means and rates are taken over.
constexpr std::size_t kRecentSteps = 100;
}  // namespace

std::string progress_text(const TrainingState& s) {
  std::string text = fmt::format("step {}/{} · loss {:.4f}", s.step, s.steps, s.loss);
  if (s.psnr) text += fmt::format(" · {:.2f} dB", *s.psnr);
  return text + fmt::format(" · {:.1f} samples/s · {} left · {:.1f} % waiting", s.samples_per_second,
                            duration_text(s.seconds_left), 100 * s.waiting);
}

TrainingMeter::TrainingMeter(std::int64_t first_step, std::int64_t steps, int samples_per_step)
    : samples_per_step_(samples_per_step) {
  state_.step = first_step;
  state_.steps = steps;
}

void TrainingMeter::add_step(double loss, double seconds, double waiting) {
  recent_.push_back({loss, seconds, waiting});
  if (recent_.size() > kRecentSteps) recent_.pop_front();
  Step sum{};
  for (const Step& step : recent_) {
    sum.loss += step.loss;
    sum.seconds += step.seconds;
    sum.waiting += step.waiting;
  }
  const auto count = static_cast<double>(recent_.size());
  ++state_.step;
  state_.loss = sum.loss / count;
  state_.seconds_left = sum.seconds / count * static_cast<double>(state_.steps - state_.step);
  state_.samples_per_second = sum.seconds > 0 ? count * samples_per_step_ / sum.seconds : 0;
  state_.waiting = sum.seconds > 0 ? sum.waiting / sum.seconds : 0;
}

TrainingLine::~TrainingLine() { clear_progress_line(); }

void TrainingLine::show(const TrainingState& state) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  show_progress_line(progress_text(state));
}

}  // namespace snapcube
