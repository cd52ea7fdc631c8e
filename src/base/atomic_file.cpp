#include "base/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <snapcube/error.h>

namespace snapcube {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& target, const char* what) {
  throw Error(fmt::format("{}: cannot {}: {}", target.string(), what, std::strerror(errno)));
}

/// The template mkstemp and mkdtemp fill in. It keeps the extension, because libraries look at it.
std::string temporary_template(const fs::path& target) {
  return (target.parent_path() / fmt::format(".{}.XXXXXX", target.stem().string())).string();
}

/// A target ending in '/' names the same folder as without it.
fs::path without_trailing_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

void flush_to_disk(const fs::path& path, const fs::path& target) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(target, "write");
  const int status = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  errno = error;
  if (status != 0) fail(target, "write");
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  const std::string extension = target_.extension().string();
  std::string name = temporary_template(target_) + extension;
  const int fd = ::mkstemps(name.data(), static_cast<int>(extension.size()));
  if (fd < 0) fail(target_, "create a file beside it");
  // mkstemps makes the file private; give it the permissions a plain open would have given.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
  ::close(fd);
  temporary_ = name;
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, std::size_t size) {
  const std::span<const std::byte> all(static_cast<const std::byte*>(bytes), size);
  write(std::span(&all, 1));
}

void AtomicFile::write(std::span<const std::span<const std::byte>> pieces) {
  std::FILE* file = std::fopen(temporary_.c_str(), "wb");
  if (!file) fail(target_, "write");
  const bool written = std::ranges::all_of(
      pieces, [&](auto piece) { return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size(); });
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = error;
  if (!written || !closed) fail(target_, "write");
}

void AtomicFile::commit() {
  flush_to_disk(temporary_, target_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "replace it");
  committed_ = true;
}

void write_text(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text.data(), text.size());
  file.commit();
}

AtomicFolder::AtomicFolder(const fs::path& target) : target_(without_trailing_slash(target)) {
  std::error_code status;
  if (fs::exists(target_, status) && !fs::is_directory(target_, status)) {
    throw Error(fmt::format("{}: cannot write a folder: a file of that name is there", target_.string()));
  }
  std::string name = temporary_template(target_);
  if (!::mkdtemp(name.data())) fail(target_, "create a folder beside it");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(name.c_str(), 0777 & ~mask);
  temporary_ = name;
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  std::error_code status;
  const bool replaces = fs::exists(target_, status);
  if (replaces) {
    // One step: there is a whole folder of that name at every moment. The old one is then ours to remove.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
      fail(target_, "replace it");
    }
    fs::remove_all(temporary_, status);
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(target_, "replace it");
  }
  committed_ = true;
}

}  // namespace snapcube
