#include "io/bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::unique_ptr<std::FILE, CloseFile> open(const std::string& path) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return file;
}

std::vector<std::byte> read(std::FILE* file, std::uint64_t count, const std::string& path) {
  std::vector<std::byte> bytes(count);
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file);
  if (std::ferror(file)) throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  bytes.resize(got);
  return bytes;
}

std::uint64_t length(std::FILE* file, const std::string& path) {
  struct stat status;
  if (::fstat(::fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw InputError(path, "", "a regular file", "something else");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

std::vector<std::byte> read_bytes(const std::string& path, std::uint64_t max_bytes, std::uint64_t offset) {
  const auto file = open(path);
  const std::uint64_t size = length(file.get(), path);
  if (size - std::min(offset, size) > max_bytes) {
    throw InputError(path, "", fmt::format("at most {} bytes (the limit for reading)", max_bytes),
                     fmt::format("{} bytes", size));
  }
  if (offset >= size) return {};
  if (::fseeko(file.get(), static_cast<off_t>(offset), SEEK_SET) != 0) {
    throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  }
  return read(file.get(), size - offset, path);
}

std::vector<std::byte> read_first_bytes(const std::string& path, std::size_t count) {
  const auto file = open(path);
  return read(file.get(), std::min<std::uint64_t>(count, length(file.get(), path)), path);
}

void swap_byte_order(std::span<std::byte> bytes, std::size_t element_size) {
  if (element_size < 2) return;
  for (std::size_t i = 0; i + element_size <= bytes.size(); i += element_size) {
    std::ranges::reverse(bytes.subspan(i, element_size));
  }
}

}  // namespace snapcube
