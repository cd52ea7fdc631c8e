#include "live/genicam_source.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "io/library_formats.h"
#include "live/pipe_source.h"

namespace snapcube::live {

namespace {

#ifdef SNAPCUBE_GENICAM_LIBRARY
OpenGenicamCamera loaded() {
  const std::string path = (io::library_folder() / SNAPCUBE_GENICAM_LIBRARY).string();
  // Never closed: GLib's types cannot be taken back.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? ::dlsym(library, "snapcube_open_genicam_camera") : nullptr;
  if (!entry) {
    const char* reason = ::dlerror();
    throw Error(fmt::format("machine-vision cameras cannot be used here: {}", reason ? reason : path));
  }
  return reinterpret_cast<OpenGenicamCamera>(entry);
}
#else
OpenGenicamCamera loaded() {
  throw Error(
      "machine-vision cameras cannot be used here: this program was built without Aravis (Debian's libaravis-dev; with "
      "it, build again)");
}
#endif

}  // namespace

GenicamSource::GenicamSource(const std::string& id) : camera_(loaded()(id)) {}

bool GenicamSource::wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) {
  Frame frame;
  if (camera_->wait(most, frame.bytes)) {
    frame.name = numbered_name(number_++);
    frame.layout = camera_->layout();
    frame.arrived = Clock::now();
    arrived.push_back(std::move(frame));
  }
  if (const std::uint64_t lost = camera_->lost(); lost > lost_) {
    Frame note;
    note.name = camera_->name();
    note.problem = fmt::format("{} frames were lost on the way, or there was no room for them", lost - lost_);
    lost_ = lost;
    arrived.push_back(std::move(note));
  }
  return true;
}

}  // namespace snapcube::live
