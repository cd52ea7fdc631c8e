#pragma once
// The preview picture of a reconstruction: written anew while a long one runs, and at its end.

#include <chrono>
#include <string>

#include <snapcube/render.h>

namespace snapcube {

class LivePreview {
 public:
  static constexpr std::chrono::milliseconds kInterval = std::chrono::seconds(10);

  /// path: empty for no picture. title: what stands before the state in the picture's title.
  LivePreview(std::string path, std::string title, PreviewOptions options,
              std::chrono::milliseconds interval = kInterval);

  /// Shows the estimate, where there is one and the last picture (or the start) is an interval ago.
  void update(const Progress& progress);
  /// Shows the result, with its misfit (Camera::misfit) in the heading, and its expected error where there is one.
  void finish(const Cube& cube, double seconds, double misfit, const Image* expected_error = nullptr);

 private:
  using Clock = std::chrono::steady_clock;
  void write(const Cube& cube, const std::string& state);

  std::string path_;
  std::string title_;
  PreviewOptions options_;
  std::chrono::milliseconds interval_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace snapcube
