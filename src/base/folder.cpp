#include "base/folder.h"

#include <cerrno>
#include <dirent.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace snapcube {

std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& status) {
  struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  std::vector<std::filesystem::path> entries;
  const std::string start = folder.has_filename() ? folder.string() + "/" : folder.string();
  status.clear();
  const std::unique_ptr<DIR, Close> stream(::opendir(folder.c_str()));
  if (!stream) status.assign(errno, std::generic_category());
  while (stream) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (!entry) {
      if (errno != 0) status.assign(errno, std::generic_category());
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    // Not by `folder / name`, which leaves libstdc++'s path broken when memory runs out inside it.
    std::string path = start;
    path += name;
    entries.emplace_back(std::move(path));
  }
  return entries;
}

}  // namespace snapcube
