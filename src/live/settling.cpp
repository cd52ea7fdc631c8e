#include "live/settling.h"

#include <algorithm>

namespace snapcube::live {

void Settling::note(const std::string& name, Sign sign, Clock::time_point now) {
  switch (sign) {
    case Sign::gone:
      files_.erase(name);
      return;
    case Sign::moved_in:
      files_[name] = {now, std::chrono::milliseconds(0), std::nullopt};
      return;
    case Sign::closed:
      files_[name] = {now, times_.closed, std::nullopt};
      return;
    case Sign::changed:
      files_[name] = {now, times_.unclosed, std::nullopt};
      return;
  }
}

std::vector<Settling::Complete> Settling::take(Clock::time_point now, const StampOf& stamp_of) {
  std::vector<Complete> complete;
  for (auto file = files_.begin(); file != files_.end();) {
    File& f = file->second;
    const bool due = now >= f.since + f.wait;
    if (!due && f.stamp) {
      ++file;
      continue;
    }
    const std::optional<FileStamp> stamp = stamp_of(file->first);
    if (!stamp) {
      file = files_.erase(file);
      continue;
    }
    // The first look is the one that later ones are held against; without a wait it is enough.
    const bool same = f.stamp ? *f.stamp == *stamp : f.wait.count() == 0;
    if (due && same) {
      complete.push_back({file->first, *stamp, f.since});
      file = files_.erase(file);
      continue;
    }
    if (f.stamp && !same) f.since = now;
    if (!f.stamp && due) f.since = now;  // it was never looked at while it waited
    f.stamp = stamp;
    ++file;
  }
  std::ranges::stable_sort(complete, {}, &Complete::arrived);
  return complete;
}

std::optional<Clock::time_point> Settling::next() const {
  std::optional<Clock::time_point> first;
  for (const auto& [name, file] : files_) {
    const Clock::time_point due = file.since + file.wait;
    if (!first || due < *first) first = due;
  }
  return first;
}

}  // namespace snapcube::live
