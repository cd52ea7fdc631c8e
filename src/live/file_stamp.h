#pragma once
// What tells one state of a file from another without reading it.

#include <cstdint>
#include <optional>
#include <string>

namespace snapcube::live {

struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  bool operator==(const FileStamp&) const = default;
};

/// Of a regular file (or a link to one); nothing for anything else.
std::optional<FileStamp> stamp_of(const std::string& path);

}  // namespace snapcube::live
