#pragma once
// The files of the viewer's page, as the build put them into the program (cmake/EmbedPage.cmake).

#include <span>
#include <string_view>

namespace snapcube {

struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view type;  ///< "text/html; charset=utf-8"
  std::string_view content;
};

std::span<const PageFile> page_files();

}  // namespace snapcube
