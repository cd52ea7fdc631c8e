#pragma once
// The newest cube in the viewer's page, while the camera runs.

#include <string>

#include <snapcube/array.h>

#include "serve/server.h"

namespace snapcube {

class WatchView {
 public:
  /// port 0: any that is free. method: what the cubes are called in the page.
  WatchView(int port, std::string method);

  std::string address() const { return server_.address(); }
  void show(const Cube& cube, const Image& measurement, LiveState state);

 private:
  std::string method_;
  Gallery gallery_;
  Site site_;
  Server server_;
};

}  // namespace snapcube
