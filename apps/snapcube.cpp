#include <string_view>
#include <unistd.h>

#include "base/openmp_waiting.h"
#include "base/process.h"
#include "commands/commands.h"

namespace {

/// Questions such as --version and `help reconstruct`, and a bare `snapcube`.
bool computes_nothing(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "-";
  return first.starts_with('-') || first == "help" || first == "version";
}

}  // namespace

int main(int argc, char** argv) {
  // Starting anew takes some milliseconds, which only a busy machine gives back.
  if (!computes_nothing(argc, argv) && snapcube::others_are_running() && snapcube::let_waiting_threads_sleep()) {
    ::execv("/proc/self/exe", argv);
  }
  snapcube::prepare_heap();
  return snapcube::run_program(argc, argv);
}
