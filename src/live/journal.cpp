#include "live/journal.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "io/input_file.h"

namespace snapcube::live {

namespace {

namespace fs = std::filesystem;

/// A journal of a million frames has 200 MB.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kLongestLine = 16384;

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw Error(fmt::format("{} cannot be written: {}", path.string(), std::strerror(reason)));
}

}  // namespace

std::optional<JournalEntry> parse_journal_line(std::string_view line) {
  if (line.size() > kLongestLine || !line.starts_with('{')) return std::nullopt;
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  JournalEntry entry;
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  entry.input = text("input");
  entry.cube = text("cube");
  if (!is_plain_name(entry.input) || (!entry.cube.empty() && !is_plain_name(entry.cube))) return std::nullopt;
  const auto size = json.find("size");
  const auto modified = json.find("modified_ns");
  if (size != json.end() && modified != json.end()) {
    if (!size->is_number_unsigned() || !modified->is_number_integer()) return std::nullopt;
    entry.stamp = FileStamp{size->get<std::uint64_t>(), modified->get<std::int64_t>()};
  }
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  };
  entry.seconds = number("seconds").value_or(0);
  entry.misfit = number("misfit");
  return entry;
}

std::string journal_line(const JournalEntry& entry) {
  nlohmann::ordered_json json = {{"input", entry.input}};
  if (entry.stamp) {
    json["size"] = entry.stamp->size;
    json["modified_ns"] = entry.stamp->modified_ns;
  }
  if (entry.cube.empty()) {
    json["dropped"] = true;
  } else {
    json["cube"] = entry.cube;
    json["seconds"] = entry.seconds;
    if (entry.misfit && std::isfinite(*entry.misfit)) json["misfit"] = *entry.misfit;
  }
  // A name that is no UTF-8 is not found again, and its frame is done again.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Journal::Journal(const fs::path& folder) : folder_(folder), path_(folder / kFile) {
  file_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_, errno);
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw Error(fmt::format("{}: another `snapcube watch` writes its cubes there", folder.string()));
    }
    read();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() { ::close(file_); }

void Journal::read() {
  InputFile file(path_.string());
  const auto bytes = file.rest(0, kMostBytes);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t unknown = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      // Half a line: what follows must begin a new one.
      if (::ftruncate(file_, static_cast<off_t>(bytes.size() - text.size())) != 0) fail(path_, errno);
      break;
    }
    if (const auto entry = parse_journal_line(text.substr(0, end))) {
      remember(*entry);
    } else {
      ++unknown;
    }
    text.remove_prefix(end + 1);
  }
  if (unknown > 0) log_warning(fmt::format("{}: {} lines were not understood", path_.string(), unknown));
}

void Journal::remember(const JournalEntry& entry) {
  entries_[entry.input] = entry;
  if (!entry.cube.empty()) inputs_[entry.cube] = entry.input;
  constexpr std::string_view kNumbered = "frame ";
  if (!entry.stamp && entry.input.starts_with(kNumbered)) {
    const auto number = parse_int(std::string_view(entry.input).substr(kNumbered.size()));
    if (number && *number > last_number_) last_number_ = *number;
  }
}

bool Journal::is_done(const std::string& input, const FileStamp& stamp, bool dropped_counts) const {
  const auto found = entries_.find(input);
  if (found == entries_.end() || found->second.stamp != stamp) return false;
  if (found->second.cube.empty()) return dropped_counts;
  std::error_code status;
  return fs::exists(folder_ / found->second.cube, status);
}

std::string Journal::input_of(const std::string& cube) const {
  const auto found = inputs_.find(cube);
  return found == inputs_.end() ? std::string() : found->second;
}

void Journal::add(const JournalEntry& entry) {
  remember(entry);
  const std::string line = journal_line(entry) + "\n";
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace snapcube::live
