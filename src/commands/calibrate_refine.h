#pragma once
// snapcube calibrate --refine: what has drifted in a camera, from ordinary captures.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace snapcube {

/// Whether the program was started as `calibrate … --refine`. Its options are others than those of `calibrate`, some by
/// the same names.
bool asks_for_refine(const std::vector<std::string>& arguments);
/// Gives the command its options, examples and work.
void add_calibrate_refine(CLI::App& command);

}  // namespace snapcube
