#include "log_queue.h"

#include <mutex>
#include <pybind11/pybind11.h>
#include <string>
#include <utility>
#include <vector>

#include <snapcube/log.h>

namespace snapcube::python {

namespace py = pybind11;

namespace {

struct Queue {
  std::mutex mutex;
  std::vector<std::pair<LogLevel, std::string>> messages;
};

/// Never destroyed: threads may log while Python ends.
Queue& queue() {
  static auto& instance = *new Queue;
  return instance;
}

}  // namespace

void queue_log() {
  set_log_sink([](LogLevel level, std::string_view message) {
    const std::lock_guard lock(queue().mutex);
    queue().messages.emplace_back(level, message);
  });
}

void send_log() {
  std::vector<std::pair<LogLevel, std::string>> messages;
  {
    const std::lock_guard lock(queue().mutex);
    messages.swap(queue().messages);
  }
  if (messages.empty()) return;
  const py::error_scope pending;  // an exception on its way is not touched
  try {
    const py::object logger = py::module_::import("logging").attr("getLogger")("snapcube");
    for (const auto& [level, message] : messages) {
      const py::str text = py::reinterpret_steal<py::str>(
          PyUnicode_DecodeUTF8(message.data(), static_cast<py::ssize_t>(message.size()), "replace"));
      logger.attr(level == LogLevel::warning ? "warning" : "info")("%s", text);
    }
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("snapcube's log");
  }
}

}  // namespace snapcube::python
