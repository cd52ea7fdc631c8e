#pragma once
// Names and lists of captures.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapcube {

/// "cap_532.5nm_03" → 532.5; "532" → 532: the number before "nm", or the whole name; nothing else is a wavelength.
std::optional<double> wavelength_in_name(std::string_view stem);

/// A line of a list: a file and what the second column says of it.
struct ListedFile {
  std::string file;
  std::string value;
  int line = 0;  ///< of the list, from 1
};

/// "file,wavelength" lines: separated by commas, semicolons or tabs; quotes around a field; '#' begins a remark;
/// further columns are passed over. A first line whose second field is no number is a heading. Throws InputError that
/// names `source` and the line.
std::vector<ListedFile> parse_list(std::string_view text, const std::string& source);

}  // namespace snapcube
