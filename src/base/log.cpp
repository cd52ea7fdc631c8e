#include <cstdio>
#include <mutex>
#include <utility>

#include <snapcube/log.h>

namespace snapcube {

namespace {

void log_to_stderr(LogLevel level, std::string_view message) {
  std::fprintf(stderr, "%s%.*s\n", level == LogLevel::warning ? "warning: " : "", static_cast<int>(message.size()),
               message.data());
}

LogSink& sink() {
  static LogSink instance = log_to_stderr;
  return instance;
}

/// Scenes are read on several threads, and a sink need not know of that.
void send(LogLevel level, std::string_view message) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (sink()) sink()(level, message);
}

}  // namespace

LogSink set_log_sink(LogSink new_sink) { return std::exchange(sink(), std::move(new_sink)); }

void log_info(std::string_view message) { send(LogLevel::info, message); }
void log_warning(std::string_view message) { send(LogLevel::warning, message); }

}  // namespace snapcube
