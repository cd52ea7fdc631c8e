#pragma once
// The commands of `snapcube`. One file a command; each adds itself to the program.

#include <string>

namespace snapcube {

/// Parses the arguments, runs the command, prints errors. Returns the exit code: 0 done, 1 failed, 2 bad input
/// or usage, 130 interrupted.
int run_program(int argc, char** argv);

}  // namespace snapcube
