#pragma once
// --white, --white-region, --white-reflectance: reflectance in place of radiance.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/io.h>
#include <snapcube/reflectance.h>

namespace CLI {
class App;
}

namespace snapcube {

class WhiteFlags {
 public:
  void add_to(CLI::App& command);
  bool given() const { return !file_.empty(); }
  /// What is said on the command line, for another command.
  std::vector<std::string> arguments() const;
  /// From a camera file (its band gains), a cube of a white target, or a capture of one, of which `reconstruct` makes
  /// the cube; without it, a capture is bad input. `headerless`: files without a header are captures.
  WhiteReference reference(const ReadOptions& read, bool headerless,
                           const std::function<Cube(const std::string& capture)>& reconstruct = {}) const;

 private:
  std::string file_;
  std::string region_;
  double reflectance_ = 1;
};

}  // namespace snapcube
