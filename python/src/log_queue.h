#pragma once
// The library's messages on their way to Python's logging. The library logs from any of its threads, with a lock held
// and often while nobody holds Python's: a sink that waited for Python could wait forever. So messages are noted, and
// sent when the call that caused them has returned.

namespace snapcube::python {

/// Makes the queue the library's sink.
void queue_log();

/// Sends what was noted to logging.getLogger("snapcube").
void send_log();

/// Sends the log at the end of a scope that holds Python's lock.
struct LogSender {
  LogSender() = default;
  LogSender(const LogSender&) = delete;
  LogSender& operator=(const LogSender&) = delete;
  ~LogSender() { send_log(); }
};

}  // namespace snapcube::python
