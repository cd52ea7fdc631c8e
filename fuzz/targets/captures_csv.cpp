// Lists of captures, and wavelengths in names.

#include <cmath>
#include <string>
#include <vector>

#include <snapcube/error.h>

#include "calibration/capture_list.h"
#include "check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto nm = wavelength_in_name(text)) fuzzing::require(!std::isnan(*nm), "a wavelength is a number");
  std::vector<ListedFile> listed;
  try {
    listed = parse_list(text, "x.csv");
  } catch (const InputError& error) {
    fuzzing::require(*error.what() != '\0', "an error says something");
    return 0;
  }
  fuzzing::require(!listed.empty(), "a list has lines");
  // What is read is written, every field quoted, and read once more.
  std::string again;
  const auto quoted = [](const std::string& field) {
    std::string result = "\"";
    for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  };
  for (const ListedFile& entry : listed) {
    fuzzing::require(!entry.file.empty() && !entry.value.empty() && entry.line > 0, "a file and a value");
    again += quoted(entry.file) + "," + quoted(entry.value) + "\n";
  }
  // Separators in a field would decide for another separator than the comma.
  if (again.find_first_of("\t;") != std::string::npos) return 0;
  // The first line is a heading if its value is no number: then a number stands before.
  const std::vector<ListedFile> twice = parse_list("first,1\n" + again, "x.csv");
  fuzzing::require(twice.size() == listed.size() + 1, "as many lines as before");
  for (std::size_t i = 0; i < listed.size(); ++i) {
    fuzzing::require(twice[i + 1].file == listed[i].file && twice[i + 1].value == listed[i].value, "the same list");
  }
  return 0;
}
