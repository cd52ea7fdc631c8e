#pragma once
// Runs the real program, as a script would.

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

#include "support.h"

namespace snapcube::testing {

struct Result {
  int code = -1;
  std::string output;  ///< standard output and standard error together
};

/// A command line of the shell.
inline Result run(const std::string& command) {
  Result result;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// `arguments` as typed in a shell, after "snapcube".
inline Result snapcube(const std::string& arguments) { return run(std::string(SNAPCUBE_PROGRAM) + " " + arguments); }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace snapcube::testing
