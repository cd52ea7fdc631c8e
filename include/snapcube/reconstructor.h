#pragma once
/// From a measurement to a cube, by any method the library has.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

/// Called after every iteration of an iterative method.
struct Progress {
  int iteration;    ///< iterations done
  int total;        ///< most there will be
  double residual;  ///< ‖y − Φx‖ / ‖y‖: how far the cube is from explaining the measurement
};
/// Return false to stop: reconstruct() then throws Interrupted.
using ProgressCallback = std::function<bool(const Progress&)>;

/// A parameter of a method, with its default; what `--set name=value` changes.
struct MethodParameter {
  std::string name;
  std::string default_value;
  std::string description;
};

struct MethodInfo {
  std::string name;   ///< "gap-tv"
  std::string title;  ///< "GAP-TV"
  std::string description;
  std::vector<MethodParameter> parameters;
};

/// All methods that Reconstructor::open knows.
const std::vector<MethodInfo>& methods();

class Reconstructor {
 public:
  using Settings = std::map<std::string, std::string>;

  /// Throws InputError for an unknown method, an unknown parameter or a value that does not fit it.
  static Reconstructor open(std::string_view method, const Settings& settings = {});

  ~Reconstructor();
  Reconstructor(Reconstructor&&) noexcept;
  Reconstructor& operator=(Reconstructor&&) noexcept;

  const std::string& method() const { return name_; }
  Cube reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress = {});

  /// What a method implements.
  class Method;

 private:
  explicit Reconstructor(std::unique_ptr<Method> method);
  std::string name_;
  std::unique_ptr<Method> method_;
};

}  // namespace snapcube
