#include "commands/frame_journal.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>

#include "base/folder.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The characters that AtomicFile puts between name and extension, with the dot before them.
constexpr std::size_t kTemporary = 7;

/// A number that may be missing or null, which is how JSON writes NaN.
double number(const Json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string word(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <typename Integer>
Integer whole(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<Integer>() : Integer{};
}

std::string line_of(const FrameRecord& r) {
  const nlohmann::ordered_json line = {{"cube", r.output},
                                       {"frame", r.input},
                                       {"key", r.key},
                                       {"bytes", r.state.bytes},
                                       {"modified", r.state.modified},
                                       {"seconds", r.seconds},
                                       {"misfit", r.misfit},
                                       {"saturated", r.saturated},
                                       {"bad", r.bad},
                                       {"error", r.error},
                                       {"finished", r.finished}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A line that was cut short, or is none of ours, is nothing.
std::optional<FrameRecord> record_of(const std::string& text) {
  const Json line = Json::parse(text, nullptr, false);
  if (!line.is_object() || word(line, "cube").empty()) return std::nullopt;
  return FrameRecord{.input = word(line, "frame"),
                     .output = word(line, "cube"),
                     .key = word(line, "key"),
                     .state = {whole<std::uint64_t>(line, "bytes"), whole<std::int64_t>(line, "modified")},
                     .seconds = number(line, "seconds", 0),
                     .misfit = number(line, "misfit", std::numeric_limits<double>::quiet_NaN()),
                     .saturated = whole<int>(line, "saturated"),
                     .bad = whole<int>(line, "bad"),
                     .error = word(line, "error"),
                     .finished = number(line, "finished", 0)};
}

}  // namespace

std::optional<FileState> file_state(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileState{static_cast<std::uint64_t>(status.st_size),
                   status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec};
}

FrameJournal::FrameJournal(const std::string& folder, RankVariables share) : folder_(folder), share_(share) {
  const fs::path own = file_of(share);
  std::error_code status;
  fs::create_directories(own.parent_path(), status);
  file_ = ::open(own.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error(fmt::format("{}: cannot write: {}", own.string(), std::strerror(errno)));
  // Where the file system has no locks, everybody is believed.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    const std::string which = share.size > 1 ? fmt::format(" as process {} of {}", share.rank, share.size) : "";
    throw Error(fmt::format("{}: another run is at work there{}", folder, which));
  }
  // A line that was cut short by a kill ends here.
  char last = '\n';
  const off_t length = ::lseek(file_, 0, SEEK_END);
  if (length > 0 && ::pread(file_, &last, 1, length - 1) == 1 && last != '\n' && ::write(file_, "\n", 1) != 1) {
    throw Error(fmt::format("{}: cannot write: {}", own.string(), std::strerror(errno)));
  }
  update();
}

FrameJournal::~FrameJournal() {
  if (file_ >= 0) ::close(file_);
}

std::string FrameJournal::file_of(RankVariables share) const {
  return (fs::path(folder_) / ".snapcube" / fmt::format("frames-{}-of-{}.jsonl", share.rank, share.size)).string();
}

void FrameJournal::update() {
  std::error_code status;
  for (const fs::path& path : list_folder(fs::path(folder_) / ".snapcube", status)) {
    if (path.extension() == ".jsonl") read(path.string());
  }
}

/// Of several lines about a cube the newest counts.
void FrameJournal::read(const std::string& path) {
  std::ifstream stream(path);
  for (std::string text; std::getline(stream, text);) {
    std::optional<FrameRecord> record = record_of(text);
    if (!record) continue;
    const auto known = records_.find(record->output);
    if (known == records_.end()) {
      std::string name = record->output;
      records_.emplace(std::move(name), std::move(*record));
    } else if (record->finished >= known->second.finished) {
      known->second = std::move(*record);
    }
  }
}

const FrameRecord* FrameJournal::find(const std::string& output) const {
  const auto found = records_.find(output);
  return found == records_.end() ? nullptr : &found->second;
}

void FrameJournal::add(FrameRecord record) {
  record.finished = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string line = line_of(record) + "\n";
  if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error(fmt::format("{}: cannot write: {}", file_of(share_), std::strerror(errno)));
  }
  std::string name = record.output;
  records_.insert_or_assign(std::move(name), std::move(record));
}

bool FrameJournal::others_at_work() const {
  std::error_code status;
  const std::string same = fmt::format("-of-{}.jsonl", share_.size);
  for (const fs::path& path : list_folder(fs::path(folder_) / ".snapcube", status)) {
    if (path.filename().string().ends_with(same)) continue;  // their frames are others
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const bool locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(file);
    if (locked) return true;
  }
  return false;
}

void FrameJournal::remove_leftovers(const std::string& folder, const std::set<std::string>& stems) const {
  if (others_at_work()) return;
  std::error_code status;
  for (const fs::path& path : list_folder(folder, status)) {
    // ".STEM.XXXXXX.EXTENSION", see AtomicFile
    const std::string name = path.filename().string();
    const std::size_t tail = path.extension().string().size() + kTemporary;
    if (!name.starts_with('.') || name.size() <= tail + 1 || name[name.size() - tail] != '.') continue;
    std::error_code ignored;
    if (stems.contains(name.substr(1, name.size() - tail - 1))) fs::remove(path, ignored);
  }
}

}  // namespace snapcube
