#pragma once
// What the handles stand for.

#include <atomic>
#include <mutex>
#include <thread>

#include <snapcube/camera.h>
#include <snapcube/reconstructor.h>
#include <snapcube/snapcube_c.h>

#include "c_api/handles.h"

namespace snapcube::c_api {

/// A reconstructor that is used by one call at a time.
class SharedReconstructor {
 public:
  explicit SharedReconstructor(Reconstructor method) : method_(std::move(method)) {}

  /// Runs the work with the reconstructor, after other threads' work. Throws InputError when this thread is inside
  /// already: it would wait for itself.
  template <typename Work>
  void use(const Work& work) {
    if (user_ == std::this_thread::get_id()) {
      throw InputError("snapcube", "reconstructor", "a call from outside of its own progress callback",
                       "one from within");
    }
    const std::lock_guard lock(mutex_);
    user_ = std::this_thread::get_id();
    struct Leave {
      std::atomic<std::thread::id>& user;
      ~Leave() { user = std::thread::id(); }
    } leave{user_};
    work(method_);
  }

 private:
  Reconstructor method_;
  std::mutex mutex_;
  std::atomic<std::thread::id> user_;
};

Handles<snapcube_camera, const Camera>& cameras();
Handles<snapcube_reconstructor, SharedReconstructor>& reconstructors();

}  // namespace snapcube::c_api
