#pragma once
// The files of a folder as frames: those that are there, oldest first, then every new one when it is complete.

#include <functional>
#include <map>
#include <set>

#include "live/folder_watch.h"
#include "live/frame.h"
#include "live/settling.h"

namespace snapcube::live {

class FolderSource : public FrameSource {
 public:
  struct Options {
    /// Whether a file of this name can be a frame at all; hidden files never are.
    std::function<bool(const std::string& name)> is_frame;
    /// Whether this state of it was reconstructed before.
    std::function<bool(const std::string& name, const FileStamp&)> is_done;
    Settling::Times times;
  };
  FolderSource(std::string folder, Options options);

  bool wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) override;

 private:
  /// Notes files that the kernel has not told of: all of them at first, later those that came over a network.
  void look(bool first);
  void take(std::vector<Frame>& arrived);
  std::string path_of(const std::string& name) const;

  std::string folder_;
  Options options_;
  FolderWatch watch_;
  Settling settling_;
  std::map<std::string, FileStamp> seen_;  ///< what was handed on, or passed over
  std::set<std::string> foreign_;          ///< names that were named
  Clock::time_point looked_;
};

}  // namespace snapcube::live
