#include "commands/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace snapcube {

namespace {

bool quiet = false;
bool line_shown = false;
int final_code = 0;

constexpr int kBarWidth = 24;

std::string bar(double done) {
  const int full = static_cast<int>(done * kBarWidth);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < full ? "█" : "░";
  return text;
}

}  // namespace

void set_quiet(bool value) { quiet = value; }
int exit_code() { return final_code; }
void set_exit_code(int code) { final_code = code; }

void clear_progress_line() {
  if (!std::exchange(line_shown, false)) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void log_to_terminal(LogLevel level, std::string_view message) {
  if (quiet && level == LogLevel::info) return;
  clear_progress_line();
  fmt::print(stderr, "{}{}\n", level == LogLevel::warning ? "warning: " : "", message);
}

ProgressLine::ProgressLine(std::string label) : label_(std::move(label)) {}

ProgressLine::~ProgressLine() { clear_progress_line(); }

void ProgressLine::update(double done) {
  using std::chrono::duration;
  static const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const auto now = Clock::now();
  const double elapsed = duration<double>(now - start_).count();
  if (!terminal || elapsed < 1 || duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  done = std::clamp(done, 0.0, 1.0);
  const std::string left = done > 0 ? duration_text(elapsed * (1 - done) / done) + " left" : "";
  fmt::print(stderr, "\r\033[K{} {} {:3.0f} %  {}", label_, bar(done), 100 * done, left);
  std::fflush(stderr);
  line_shown = true;
}

std::string duration_text(double seconds) {
  const int whole = static_cast<int>(std::lround(seconds));
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02d} min", whole / 3600, whole / 60 % 60);
}

}  // namespace snapcube
