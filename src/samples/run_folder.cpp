#include "samples/run_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>

#include "samples/append_file.h"
#include "samples/config_file.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "lock";

/// The name of something in the folder beside the lock; empty if there is nothing.
std::string first_entry(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != kLockName) return entry.path().filename().string();
  }
  return "";
}

void require_empty(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw InputError(folder.string(), "run", "a folder", "a file");
  const std::string entry = first_entry(folder);
  if (entry.empty()) return;
  throw InputError(folder.string(), "run", "a new or empty folder (--resume goes on with a run)",
                   fmt::format("'{}' in it", entry));
}

bool is_kept(const std::string& line, std::int64_t last_step) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  const auto step = json.find("step");
  return step != json.end() && step->is_number_integer() && *step <= last_step;
}

}  // namespace

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), log_(std::exchange(other.log_, -1)) {}

RunFolder::~RunFolder() {
  if (log_ >= 0) ::close(log_);
  if (lock_ >= 0) ::close(lock_);
}

RunFolder RunFolder::create(const fs::path& path, const TrainConfig& config) {
  require_empty(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error(fmt::format("{} cannot be made: {}", path.string(), error.message()));
  RunFolder run(path);
  run.lock();
  require_empty(path);                               // nobody was faster
  write_config(config, run.config_file().string());  // first: with it a run can be resumed
  run.make_folders();
  return run;
}

RunFolder RunFolder::open(const fs::path& path) {
  RunFolder run(path);
  if (!fs::is_regular_file(run.config_file())) {
    throw InputError(path.string(), "run", "a folder with a config.toml", "none");
  }
  run.lock();
  run.make_folders();
  return run;
}

void RunFolder::lock() {
  const fs::path file = path_ / kLockName;
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw Error(fmt::format("{} cannot be made: {}", file.string(), std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) throw InputError(fmt::format("{}: another process is training in it", path_.string()));
  throw Error(fmt::format("{} cannot be locked: {}", file.string(), std::strerror(errno)));
}

void RunFolder::make_folders() const {
  for (const fs::path& folder : {checkpoints(), previews()}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
  }
}

void RunFolder::log(const nlohmann::ordered_json& line) {
  if (log_ < 0) log_ = open_for_appending(log_file());
  append_bytes(log_, line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n", log_file());
}

void RunFolder::rewind_log(std::int64_t step) {
  std::ifstream file(log_file(), std::ios::binary);
  if (!file) return;
  std::uintmax_t kept = 0;
  // A last line without its end sets eof: its process was stopped while writing.
  for (std::string line; std::getline(file, line) && !file.eof() && is_kept(line, step);) kept += line.size() + 1;
  std::error_code error;
  fs::resize_file(log_file(), kept, error);
  if (error) throw Error(fmt::format("{} cannot be shortened: {}", log_file().string(), error.message()));
}

}  // namespace snapcube
