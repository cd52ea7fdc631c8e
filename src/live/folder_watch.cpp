#include "live/folder_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube::live {

namespace {

constexpr std::uint32_t kWatched = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                   IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

Sign sign_of(std::uint32_t mask) {
  if (mask & (IN_MOVED_FROM | IN_DELETE)) return Sign::gone;
  if (mask & IN_MOVED_TO) return Sign::moved_in;
  if (mask & IN_CLOSE_WRITE) return Sign::closed;
  return Sign::changed;
}

}  // namespace

FolderWatch::FolderWatch(const std::string& folder) : folder_(folder) {
  queue_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (queue_ >= 0 && ::inotify_add_watch(queue_, folder.c_str(), kWatched) >= 0) return;
  const int reason = errno;
  if (queue_ >= 0) ::close(queue_);
  if (reason == ENOENT || reason == ENOTDIR || reason == EACCES) {
    throw InputError(folder, "", "a readable folder", std::strerror(reason));
  }
  throw Error(fmt::format("{}: cannot be watched: {}", folder, std::strerror(reason)));
}

FolderWatch::~FolderWatch() { ::close(queue_); }

FolderWatch::Events FolderWatch::wait(std::chrono::milliseconds most) {
  Events result;
  pollfd entry{queue_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(most.count())) <= 0) return result;
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (ssize_t n = 0; (n = ::read(queue_, buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < n;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if (event.mask & IN_Q_OVERFLOW) result.missed = true;
      if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) result.ended = true;
      if (event.len > 0 && !(event.mask & IN_ISDIR)) result.events.push_back({name, sign_of(event.mask)});
    }
  }
  return result;
}

}  // namespace snapcube::live
