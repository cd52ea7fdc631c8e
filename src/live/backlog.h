#pragma once
// Frames between the thread that receives them and the one that reconstructs.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>

#include "live/frame.h"

namespace snapcube::live {

class Backlog {
 public:
  /// latest: only the newest waits, the one before it is dropped. Otherwise frames of streams wait up to so many bytes
  /// (at least one does), and then add() does.
  Backlog(bool latest, std::uint64_t most_bytes) : latest_(latest), most_bytes_(most_bytes) {}

  /// For the receiving thread. Waits for room, no longer than `most`; false: there was none, and the frame was not
  /// taken.
  bool add(Frame& frame, std::chrono::milliseconds most);
  /// No more will come; an error is thrown to who takes, once all is taken.
  void end(std::exception_ptr error = {});

  /// The first one; nothing if none comes within `most`.
  std::optional<Frame> take(std::chrono::milliseconds most);
  /// Frames that were dropped since the last call, without their bytes.
  std::vector<Frame> take_dropped();
  /// Frames that wait.
  std::size_t size() const;
  /// Nothing waits and no more will come.
  bool ended() const;

 private:
  const bool latest_;
  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> waiting_;
  std::vector<Frame> dropped_;
  std::uint64_t bytes_ = 0;
  bool ended_ = false;
  std::exception_ptr error_;
};

}  // namespace snapcube::live
