#include "live/folder_source.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <snapcube/error.h>

#include "base/folder.h"

namespace snapcube::live {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What the kernel does not tell (other machines' writing, a full queue) is found by looking this often.
constexpr auto kLook = 1s;

/// Whether a known file was written again is then left to the kernel to tell: to ask the disk would take too long.
constexpr std::size_t kMany = 5000;

bool is_hidden(const std::string& name) { return name.starts_with('.'); }

/// Time since the file was written; for one from the future none.
std::chrono::nanoseconds age(const FileStamp& stamp) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::nanoseconds(stamp.modified_ns);
}

}  // namespace

FolderSource::FolderSource(std::string folder, Options options)
    : folder_(std::move(folder)), options_(std::move(options)), watch_(folder_), settling_(options_.times) {
  look(true);
}

std::string FolderSource::path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

void FolderSource::look(bool first) {
  looked_ = Clock::now();
  std::error_code status;
  std::vector<std::tuple<std::int64_t, std::string, bool>> found;  // by time of writing, then by name
  for (const fs::path& path : list_folder(folder_, status)) {
    const std::string name = path.filename().string();
    if (is_hidden(name) || settling_.knows(name)) continue;
    const auto seen = seen_.find(name);
    if (seen != seen_.end() && seen_.size() > kMany) continue;
    const auto stamp = stamp_of(path.string());
    if (!stamp || (seen != seen_.end() && seen->second == *stamp)) continue;
    found.emplace_back(stamp->modified_ns, name, age(*stamp) > options_.times.unclosed);
  }
  if (status) throw InputError(folder_, "", "a readable folder", status.message());
  std::ranges::sort(found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [modified, name, old] = found[i];
    // Written long ago, it needs no waiting; one nanosecond after the other they keep their order.
    const auto order = std::chrono::nanoseconds(i) - std::chrono::nanoseconds(found.size());
    settling_.note(name, first && old ? Sign::moved_in : Sign::changed, looked_ + order);
  }
}

bool FolderSource::wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) {
  const std::size_t before = arrived.size();
  take(arrived);
  if (arrived.size() > before) return true;
  auto until = std::min(Clock::now() + most, looked_ + kLook);
  if (const auto next = settling_.next()) until = std::min(until, *next);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const FolderWatch::Events happened = watch_.wait(std::max(left, 0ms));
  const Clock::time_point now = Clock::now();
  std::chrono::nanoseconds order{0};  // of what is told at once
  for (const FolderWatch::Event& event : happened.events) {
    if (is_hidden(event.name)) continue;
    if (event.sign == Sign::gone) foreign_.erase(event.name);
    settling_.note(event.name, event.sign, now + order++);
  }
  if (happened.ended) throw Error(folder_ + ": the folder was taken away");
  if (happened.missed || now >= looked_ + kLook) look(false);
  take(arrived);
  return true;
}

void FolderSource::take(std::vector<Frame>& arrived) {
  const auto complete =
      settling_.take(Clock::now(), [this](const std::string& name) { return stamp_of(path_of(name)); });
  for (const Settling::Complete& file : complete) {
    const auto seen = seen_.find(file.name);
    if (seen != seen_.end() && seen->second == file.stamp) continue;  // opened for writing, and left as it was
    seen_[file.name] = file.stamp;
    Frame frame{.name = file.name, .path = path_of(file.name), .stamp = file.stamp, .arrived = file.arrived};
    if (!options_.is_frame(file.name)) {
      if (!foreign_.insert(file.name).second) continue;
      frame.problem = "not a format that frames come in";
    } else if (options_.is_done(file.name, file.stamp)) {
      continue;
    }
    arrived.push_back(std::move(frame));
  }
}

}  // namespace snapcube::live
