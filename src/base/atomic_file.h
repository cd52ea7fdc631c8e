#pragma once
// Files written beside and renamed: until commit() the old file stays as it is, and a file that is not
// committed leaves nothing behind.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace snapcube {

class AtomicFile {
 public:
  /// Chooses a name beside the target; creates an empty file there. Throws Error if that cannot be done.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Where to write; for libraries that open files by name.
  const std::filesystem::path& path() const { return temporary_; }
  /// Writes all bytes to path(). Throws Error naming the target when the disk is full.
  void write(const void* bytes, std::size_t size);
  /// The same, of pieces that follow each other.
  void write(std::span<const std::span<const std::byte>> pieces);
  /// Flushes to the disk and renames. Throws Error, and then the old file is intact.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// A file of this text.
void write_text(const std::filesystem::path& target, std::string_view text);

/// A folder made beside and renamed; an existing folder of that name is replaced as a whole.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

}  // namespace snapcube
