#include "live/receiver.h"

namespace snapcube::live {

namespace {

/// How long it may take until the thread notices that it is to end.
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

Receiver::Receiver(FrameSource& source, Backlog& backlog)
    : source_(source), backlog_(backlog), thread_([this] { run(); }) {}

Receiver::~Receiver() {
  stopping_ = true;
  thread_.join();
}

void Receiver::run() {
  try {
    bool more = true;
    while (more && !stopping_) {
      std::vector<Frame> arrived;
      more = source_.wait(kPatience, arrived);
      for (Frame& frame : arrived) {
        while (!stopping_ && !backlog_.add(frame, kPatience)) {
        }
      }
    }
    backlog_.end();
  } catch (...) {
    backlog_.end(std::current_exception());
  }
}

}  // namespace snapcube::live
