#pragma once
// Which method makes the cubes, for the commands that reconstruct: --method, --model, and what changes them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/reconstructor.h>

#include "commands/options.h"

namespace CLI {
class Option;
}

namespace snapcube {

/// --method, --model, --passes, --refine, --scale, --sigma, --set, --iterations.
class MethodFlags {
 public:
  /// Returns --method, for options that it rules out.
  CLI::Option* add_to(CLI::App& command);

  /// The model or method that was named, --scale; empty: not given.
  const std::string& named() const { return model_.empty() ? method_ : model_; }
  const std::string& scale() const { return scale_; }

  /// Whether the measurements are in no unit of light. Asked only where it matters.
  using Counts = std::function<bool()>;

  /// What was asked for; else the best installed model that fits the camera, which `mask` (a file, or nothing)
  /// completes, or GAP-TV where none does. What only libtorch computes, snapcube-train does: the same command, in that
  /// program.
  Reconstructor open(const CameraFlags& camera, const std::string& mask, const ReadFlags& read,
                     const Counts& counts) const;

 private:
  Reconstructor open_here(const CameraFlags& camera, const std::string& mask, const ReadFlags& read,
                          const Counts& counts) const;
  Reconstructor open_with(const Reconstructor::Settings& chosen, const CameraFlags& camera, const std::string& mask,
                          const ReadFlags& read) const;
  Reconstructor open_default(const Reconstructor::Settings& chosen, const CameraFlags& camera, const std::string& mask,
                             const ReadFlags& read) const;

  std::string method_;
  std::string model_;
  std::string scale_;
  std::string passes_;
  std::string refine_;
  std::optional<double> sigma_;
  std::vector<std::string> settings_;
  std::optional<int> iterations_;
};

/// The methods and their parameters, for the end of a help text.
std::string methods_text();

}  // namespace snapcube
