#include "base/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace snapcube {

namespace {

bool quiet = false;
bool line_shown = false;
/// Frames are read, computed and written by different threads, which all have something to say.
std::mutex one_at_a_time;

constexpr int kBarWidth = 24;
constexpr int kUsualColumns = 80;

std::string bar(double done) {
  const int full = static_cast<int>(done * kBarWidth);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < full ? "█" : "░";
  return text;
}

bool on_terminal() {
  static const bool terminal = ::isatty(STDERR_FILENO) == 1;
  return terminal;
}

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

void clear_line() {
  if (!std::exchange(line_shown, false)) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace

void set_quiet(bool value) { quiet = value; }

void show_progress_line(std::string_view text) {
  if (!on_terminal()) return;
  const std::lock_guard lock(one_at_a_time);
  // A line that fills the last column would wrap, and only its last part could be rewritten.
  fmt::print(stderr, "\r\033[K{}", first_characters(text, terminal_columns() - 1));
  std::fflush(stderr);
  line_shown = true;
}

void clear_progress_line() {
  const std::lock_guard lock(one_at_a_time);
  clear_line();
}

void log_to_terminal(LogLevel level, std::string_view message) {
  if (quiet && level == LogLevel::info) return;
  const std::lock_guard lock(one_at_a_time);
  clear_line();
  fmt::print(stderr, "{}{}\n", level == LogLevel::warning ? "warning: " : "", message);
}

ProgressLine::ProgressLine(std::string label) : label_(std::move(label)) {}

ProgressLine::~ProgressLine() { clear_progress_line(); }

void ProgressLine::update(double done) {
  using std::chrono::duration;
  const auto now = Clock::now();
  const double elapsed = duration<double>(now - start_).count();
  if (elapsed < 1 || duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  done = std::clamp(done, 0.0, 1.0);
  const std::string left = done > 0 ? duration_text(elapsed * (1 - done) / done) + " left" : "";
  show_progress_line(fmt::format("{} {} {:3.0f} %  {}", label_, bar(done), 100 * done, left));
}

std::string duration_text(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(std::min(seconds, 1e15));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  if (whole < 48 * 3600) return fmt::format("{} h {:02d} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {:02d} h", whole / 86400, whole / 3600 % 24);
}

std::string_view first_characters(std::string_view text, int count) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && count-- <= 0) return text.substr(0, i);
  }
  return text;
}

}  // namespace snapcube
