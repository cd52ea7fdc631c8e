#pragma once
// What one thread hands to another, in order.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace snapcube {

template <typename T>
class Channel {
 public:
  /// False when the channel is closed: nobody will take it.
  bool push(T value) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      values_.push_back(std::move(value));
    }
    changed_.notify_one();
    return true;
  }

  /// Waits for the next; nothing once the channel is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    return value;
  }

  /// Nothing more will come; what is there can still be taken.
  void close() { close(false); }
  /// What is there is dropped, too.
  void cancel() { close(true); }

 private:
  void close(bool drop) {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      if (drop) values_.clear();
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace snapcube
