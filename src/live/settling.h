#pragma once
// When is a file complete? Knows neither clock nor disk: times and stamps are given to it.
//
// A file that was renamed into the folder is complete at once. One that its writer has closed is complete when it has
// stayed as it is for a moment (writers that close twice). One that nobody was seen to close (it was there before, or
// comes over a network) must stay as it is for longer.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/frame.h"

namespace snapcube::live {

enum class Sign { changed, closed, moved_in, gone };

class Settling {
 public:
  /// How long a file must stay as it is: after it was closed; and where nobody was seen to close it.
  struct Times {
    std::chrono::milliseconds closed{10};
    std::chrono::milliseconds unclosed{2000};
  };
  explicit Settling(Times times) : times_(times) {}

  void note(const std::string& name, Sign sign, Clock::time_point now);

  struct Complete {
    std::string name;
    FileStamp stamp;
    Clock::time_point arrived;  ///< when the last sign of it was seen
  };
  using StampOf = std::function<std::optional<FileStamp>(const std::string& name)>;
  /// Takes out the files that are complete, in the order in which they arrived. What is no file any more is forgotten.
  std::vector<Complete> take(Clock::time_point now, const StampOf& stamp_of);

  bool empty() const { return files_.empty(); }
  bool knows(const std::string& name) const { return files_.contains(name); }
  /// When to look again; nothing if no file is waited for.
  std::optional<Clock::time_point> next() const;

 private:
  struct File {
    Clock::time_point since;
    std::chrono::milliseconds wait;
    std::optional<FileStamp> stamp;  ///< when it was last looked at
  };
  Times times_;
  std::map<std::string, File> files_;
};

}  // namespace snapcube::live
