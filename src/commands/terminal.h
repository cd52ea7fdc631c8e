#pragma once
// What a person sees while a command runs: log lines and a progress line, both on standard error.

#include <chrono>
#include <string>
#include <string_view>

#include <snapcube/log.h>

namespace snapcube {

void log_to_terminal(LogLevel level, std::string_view message);
/// Information is silenced, warnings stay.
void set_quiet(bool quiet);

/// Removes the progress line, so that something else can be printed.
void clear_progress_line();

/// One line that is rewritten in place: label, bar, share, time left. Shows itself only on a terminal, and only for
/// work that takes more than a second.
class ProgressLine {
 public:
  explicit ProgressLine(std::string label);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// done in [0,1].
  void update(double done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// "0.4 s", "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

/// What the program returns if nothing throws: 0 unless a command over many files set it to 1.
int exit_code();
void set_exit_code(int code);

}  // namespace snapcube
