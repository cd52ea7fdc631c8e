#pragma once
// Frames of a machine-vision camera.

#include <memory>

#include "live/frame.h"
#include "live/genicam_camera.h"

namespace snapcube::live {

class GenicamSource : public FrameSource {
 public:
  /// id: empty for the first camera that is found. Throws Error where the program was built without Aravis, or its
  /// library is not there; InputError when there is no such camera.
  explicit GenicamSource(const std::string& id);
  bool wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) override;

  const GenicamCamera& camera() const { return *camera_; }
  /// Number of the first frame.
  void count_from(std::int64_t first) { number_ = first; }

 private:
  std::unique_ptr<GenicamCamera> camera_;
  std::int64_t number_ = 1;
  std::uint64_t lost_ = 0;
};

}  // namespace snapcube::live
