#pragma once
// What a person sees while a program runs: log lines and a progress line, both on standard error. Any thread may call
// these functions; a ProgressLine is one thread's.

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <snapcube/log.h>

namespace snapcube {

void log_to_terminal(LogLevel level, std::string_view message);
/// Information is silenced, warnings stay.
void set_quiet(bool quiet);

/// The progress line: rewritten in place on a terminal and cut to its width; without a terminal nothing is printed.
void show_progress_line(std::string_view text);
/// Removes the progress line, so that something else can be printed.
void clear_progress_line();

/// A progress line of label, bar, share and time left. Shows itself only for work that takes more than a second.
class ProgressLine {
 public:
  explicit ProgressLine(std::string label);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// done in [0,1].
  void update(double done);
  void set_label(std::string label) { label_ = std::move(label); }

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// "0.4 s", "12 s", "3 min 05 s", "2 h 10 min", "3 d 04 h".
std::string duration_text(double seconds);

/// The first `count` characters of UTF-8 text, taking one column each.
std::string_view first_characters(std::string_view text, int count);

}  // namespace snapcube
