#include "io/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>

#include <snapcube/error.h>

namespace snapcube {

InputFile::InputFile(const std::string& path) : path_(path) {
  // Asked before it is opened: opening a pipe would wait for a writer.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw InputError(path, "", "a readable file", std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path, "", "a file", S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
  }
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw InputError(path, "", "a readable file", std::strerror(errno));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t offset, void* to, std::uint64_t count) {
  const bool inside =
      offset <= size_ && count <= size_ - offset && offset <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!inside || ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0 ||
      std::fread(to, 1, count, file_.get()) != count) {
    throw InputError(path_, "", fmt::format("{} bytes from byte {} on", count, offset),
                     fmt::format("a file of {} bytes", size_));
  }
}

std::vector<std::byte> InputFile::first(std::uint64_t count) {
  std::vector<std::byte> bytes(std::min(count, size_));
  read(0, bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> InputFile::rest(std::uint64_t offset, std::uint64_t max_bytes) {
  const std::uint64_t start = std::min(offset, size_);
  if (size_ - start > max_bytes) {
    throw InputError(path_, "", fmt::format("at most {} bytes (the limit for reading)", max_bytes),
                     fmt::format("{} bytes", size_));
  }
  std::vector<std::byte> bytes(size_ - start);
  read(start, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace snapcube
