#pragma once
// A file opened for reading. Whatever goes wrong is an InputError that names it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace snapcube {

class InputFile {
 public:
  /// Refuses what is not a regular file.
  explicit InputFile(const std::string& path);

  std::uint64_t size() const { return size_; }
  /// At the start of the file until read() moves it.
  std::FILE* handle() { return file_.get(); }
  /// `count` bytes from `offset`; an InputError when the file ends before.
  void read(std::uint64_t offset, void* to, std::uint64_t count);
  /// The first `count` bytes, or fewer when the file is shorter.
  std::vector<std::byte> first(std::uint64_t count);
  /// All bytes from `offset` on; an InputError when they are more than max_bytes.
  std::vector<std::byte> rest(std::uint64_t offset, std::uint64_t max_bytes);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
};

}  // namespace snapcube
