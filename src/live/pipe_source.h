#pragma once
// Frames without headers, one after the other, from a pipe.

#include "live/frame.h"

namespace snapcube::live {

class PipeSource : public FrameSource {
 public:
  /// file: is read, not closed. first: number of the first frame.
  PipeSource(int file, const RawLayout& layout, std::int64_t first);
  bool wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) override;

 private:
  int file_;
  RawLayout layout_;
  std::int64_t number_;
  std::vector<unsigned char> bytes_;
  std::size_t have_ = 0;  ///< bytes of the frame that is being received
};

/// "frame 12"
std::string numbered_name(std::int64_t number);
/// 12; nothing for the frame of a file.
std::optional<std::int64_t> number_of(const Frame& frame);

}  // namespace snapcube::live
