#pragma once
// The thread that receives frames, so that none is missed while another is reconstructed.

#include <atomic>
#include <thread>

#include "live/backlog.h"
#include "live/frame.h"

namespace snapcube::live {

class Receiver {
 public:
  /// Both must outlive it.
  Receiver(FrameSource& source, Backlog& backlog);
  /// Stops receiving.
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

 private:
  void run();
  FrameSource& source_;
  Backlog& backlog_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace snapcube::live
