#pragma once
// Files that grow by whole records.

#include <filesystem>
#include <string_view>

namespace snapcube {

/// For appending; created if it is not there. Throws Error naming the file.
int open_for_appending(const std::filesystem::path& path);
/// All bytes, or an Error naming the file (a full disk).
void append_bytes(int file, std::string_view bytes, const std::filesystem::path& path);

}  // namespace snapcube
