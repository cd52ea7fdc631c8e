#pragma once
// A machine-vision camera as the program sees it. The library that talks to it (Aravis, with GLib and USB below it) is
// in a library of its own, libsnapcube-genicam, which is loaded when a camera is asked for.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <snapcube/detector.h>

namespace snapcube::live {

class GenicamCamera {
 public:
  virtual ~GenicamCamera() = default;
  /// "Vendor-Model-Serial"
  virtual std::string name() const = 0;
  virtual RawLayout layout() const = 0;
  /// Waits for a frame, no longer than `most`; false: there was none. Throws Error when the camera is gone.
  virtual bool wait(std::chrono::milliseconds most, std::vector<unsigned char>& bytes) = 0;
  /// Frames that did not arrive whole, or for which there was no room, so far.
  virtual std::uint64_t lost() const = 0;
};

/// The function "snapcube_open_genicam_camera" of that library. id: name, serial number or address; empty: the first
/// camera that is found. The camera runs from now on. Throws InputError when there is none, or when it sends what is no
/// plain grey image.
using OpenGenicamCamera = GenicamCamera* (*)(const std::string& id);

}  // namespace snapcube::live
