#pragma once
// The reference network in libtorch, as a program of its own beside this one, for comparisons of speed.

#include <string>
#include <sys/types.h>
#include <vector>

namespace snapcube {

/// `snapcube-train bench-reference …`: prints "ready", then answers every line "run" with the seconds that one
/// inference took.
class ReferenceProcess {
 public:
  /// Starts it and waits until it is ready. Throws Error when it is not installed or ends.
  ReferenceProcess(const std::string& model, int size, int threads, std::uint64_t seed);
  ~ReferenceProcess();
  ReferenceProcess(const ReferenceProcess&) = delete;
  ReferenceProcess& operator=(const ReferenceProcess&) = delete;

  /// Seconds of one inference.
  double run();

 private:
  std::string read_line();
  [[noreturn]] void fail(const std::string& what);

  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string pending_;
};

}  // namespace snapcube
