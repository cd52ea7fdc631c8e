#pragma once
// What arrives: a file, or the bytes of a frame from a pipe or a camera; and where it arrives from.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/detector.h>

#include "live/file_stamp.h"

namespace snapcube::live {

using Clock = std::chrono::steady_clock;

struct Frame {
  std::string name;                       ///< of the file, in its folder; or "frame 12"
  std::string path;                       ///< of the file; empty for a stream
  std::optional<FileStamp> stamp = {};    ///< of the file, when it was found complete
  std::vector<unsigned char> bytes = {};  ///< of a stream
  RawLayout layout = {};                  ///< what the bytes mean
  Clock::time_point arrived = {};         ///< when its last byte was there
  /// Why it is none: half-written, foreign, lost. It is named and passed over.
  std::string problem = {};
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Waits until something has arrived, but no longer than about `most`, and appends it in order of arrival. False: no
  /// more will come.
  virtual bool wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) = 0;
};

}  // namespace snapcube::live
