// snapcube calibrate: from captures to a camera file.

#include <CLI/CLI.hpp>

#include "commands/calibrate_refine.h"
#include "commands/commands.h"

namespace snapcube {

void add_calibrate(CLI::App& program) {
  CLI::App* sub = program.add_subcommand("calibrate", "find what has drifted in a camera (--refine)");
  add_calibrate_refine(*sub);
}

}  // namespace snapcube
