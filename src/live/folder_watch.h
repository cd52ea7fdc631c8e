#pragma once
// What happens in a folder, as the kernel tells it (inotify).

#include <chrono>
#include <string>
#include <vector>

#include "live/settling.h"

namespace snapcube::live {

class FolderWatch {
 public:
  /// Throws InputError when there is no such folder, Error when the kernel has no watch left.
  explicit FolderWatch(const std::string& folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  struct Event {
    std::string name;
    Sign sign;
  };
  struct Events {
    std::vector<Event> events;
    bool missed = false;  ///< more happened than the kernel could note: look yourself
    bool ended = false;   ///< the folder is gone
  };
  /// Waits for something to happen, no longer than `most`.
  Events wait(std::chrono::milliseconds most);

 private:
  std::string folder_;
  int queue_ = -1;
};

}  // namespace snapcube::live
