#pragma once
/// What the library says while it works ("integers scaled by 1/65535"). Goes to standard error unless the
/// program sets a sink of its own.
///
/// Thread safety: any thread may log; set_log_sink() is for a moment when no other thread does.

#include <functional>
#include <string>
#include <string_view>

namespace snapcube {

enum class LogLevel { info, warning };

using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Replaces the sink and returns the one before; an empty one silences the library. Not to be called while other
/// threads log. The sink is called by one thread at a time, and does not log itself.
LogSink set_log_sink(LogSink sink);

void log_info(std::string_view message);
void log_warning(std::string_view message);

}  // namespace snapcube
