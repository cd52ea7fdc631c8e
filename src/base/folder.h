#pragma once
// What a folder holds. (libstdc++'s directory_iterator ends the program when memory runs out: it allocates where it has
// promised not to throw.)

#include <filesystem>
#include <vector>

namespace snapcube {

/// All entries but "." and "..", in no order. An error is told in `status`, as std::filesystem does.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& status);

}  // namespace snapcube
