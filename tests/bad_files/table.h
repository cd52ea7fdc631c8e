#pragma once
// A table of files that must be refused, each with what its refusal says.

#include <string>
#include <utility>
#include <vector>

namespace snapcube::testing {

enum class ReadAs { cube, image, tensors, weights };

struct BadFile {
  std::string what;  ///< in a test's output
  std::string name;  ///< of the file that is read; its extension chooses the reader
  std::string content;
  ReadAs as = ReadAs::cube;
  std::string verdict;                                           ///< part of the message
  std::vector<std::pair<std::string, std::string>> beside = {};  ///< other files: name, content
};

using BadFiles = std::vector<BadFile>;

}  // namespace snapcube::testing
