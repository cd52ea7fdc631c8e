#include "live/backlog.h"

#include <algorithm>
#include <utility>

namespace snapcube::live {

bool Backlog::add(Frame& frame, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  const bool is_frame = frame.problem.empty();
  if (latest_ && is_frame) {
    for (auto old = waiting_.begin(); old != waiting_.end();) {
      if (!old->problem.empty()) {
        ++old;
        continue;
      }
      bytes_ -= old->bytes.size();
      old->bytes = {};
      dropped_.push_back(std::move(*old));
      old = waiting_.erase(old);
    }
  }
  const auto room = [&] { return bytes_ == 0 || bytes_ + frame.bytes.size() <= most_bytes_; };
  if (!changed_.wait_for(lock, most, room)) return false;
  bytes_ += frame.bytes.size();
  waiting_.push_back(std::move(frame));
  changed_.notify_all();
  return true;
}

void Backlog::end(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

std::optional<Frame> Backlog::take(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return !waiting_.empty() || ended_; });
  if (waiting_.empty()) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return std::nullopt;
  }
  Frame frame = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= frame.bytes.size();
  changed_.notify_all();
  return frame;
}

std::vector<Frame> Backlog::take_dropped() {
  const std::lock_guard lock(mutex_);
  return std::exchange(dropped_, {});
}

std::size_t Backlog::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(waiting_, [](const Frame& f) { return f.problem.empty(); }));
}

bool Backlog::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ && waiting_.empty() && !error_;
}

}  // namespace snapcube::live
