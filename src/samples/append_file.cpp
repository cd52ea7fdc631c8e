#include "samples/append_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube {

int open_for_appending(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) throw Error(fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno)));
  return file;
}

void append_bytes(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace snapcube
