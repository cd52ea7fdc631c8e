#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/printable.h"

namespace snapcube {

namespace {
std::string sentence(const std::string& source, const std::string& field, const std::string& expected,
                     const std::string& found) {
  if (field.empty()) return printable(fmt::format("{}: expected {}, found {}", source, expected, found));
  return printable(fmt::format("{}: {}: expected {}, found {}", source, field, expected, found));
}
}  // namespace

InputError::InputError(const std::string& source, const std::string& field, const std::string& expected,
                       const std::string& found)
    : Error(sentence(source, field, expected, found)),
      source_(source),
      field_(field),
      expected_(expected),
      found_(found) {}

InputError::InputError(const std::string& source, const std::string& sentence)
    : Error(printable(fmt::format("{}: {}", source, sentence))), source_(source) {}

}  // namespace snapcube
