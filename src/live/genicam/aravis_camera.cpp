// The only file that sees Aravis.

#include <arv.h>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <memory>

#include <snapcube/error.h>

#include "live/genicam_camera.h"

namespace snapcube::live {

namespace {

/// Frames that Aravis holds until they are taken.
constexpr int kBuffers = 16;

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using Held = std::unique_ptr<T, Unref>;

/// The error of a call, thrown if there was one.
class Failure {
 public:
  Failure() = default;
  ~Failure() { g_clear_error(&error_); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  GError** place() { return &error_; }
  std::string text() const { return error_ ? error_->message : ""; }
  void check(const std::string& camera) {
    if (error_) throw Error(fmt::format("{}: {}", camera, text()));
  }

 private:
  GError* error_ = nullptr;
};

std::string cameras_found() {
  arv_update_device_list();
  std::string list;
  for (unsigned i = 0; i < arv_get_n_devices(); ++i) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", arv_get_device_id(i));
  }
  return list.empty() ? "no camera" : list;
}

RawLayout::Type type_of(ArvPixelFormat format, const std::string& name, const std::string& camera) {
  switch (format) {
    case ARV_PIXEL_FORMAT_MONO_8:
      return RawLayout::Type::u8;
    case ARV_PIXEL_FORMAT_MONO_10:
    case ARV_PIXEL_FORMAT_MONO_12:
    case ARV_PIXEL_FORMAT_MONO_14:
    case ARV_PIXEL_FORMAT_MONO_16:
      return RawLayout::Type::u16le;
    case ARV_PIXEL_FORMAT_MONO_10_PACKED:
      return RawLayout::Type::mono10packed;
    case ARV_PIXEL_FORMAT_MONO_12_PACKED:
      return RawLayout::Type::mono12packed;
    default:
      break;
  }
  throw InputError(camera, "PixelFormat", "Mono8, Mono10, Mono12, Mono14, Mono16, Mono10Packed or Mono12Packed", name);
}

class AravisCamera : public GenicamCamera {
 public:
  explicit AravisCamera(const std::string& id) {
    Failure failure;
    camera_.reset(arv_camera_new(id.empty() ? nullptr : id.c_str(), failure.place()));
    if (!camera_) {
      throw InputError("--genicam", "", id.empty() ? "a camera" : fmt::format("a camera called '{}'", id),
                       cameras_found());
    }
    const auto text = [&](auto get) {
      Failure ignored;
      const char* found = get(camera_.get(), ignored.place());
      return std::string(found ? found : "");
    };
    name_ = text(arv_camera_get_vendor_name) + "-" + text(arv_camera_get_model_name) + "-" +
            text(arv_camera_get_device_serial_number);
    const ArvPixelFormat format = arv_camera_get_pixel_format(camera_.get(), failure.place());
    failure.check(name_);
    layout_.type = type_of(format, text(arv_camera_get_pixel_format_as_string), name_);
    int x = 0;
    int y = 0;
    arv_camera_get_region(camera_.get(), &x, &y, &layout_.width, &layout_.height, failure.place());
    failure.check(name_);
    if (layout_.width < 1 || layout_.height < 1) throw Error(name_ + ": the camera's region is empty");
    start();
  }

  ~AravisCamera() override {
    if (stream_) {
      Failure ignored;
      arv_camera_stop_acquisition(camera_.get(), ignored.place());
    }
  }

  std::string name() const override { return name_; }
  RawLayout layout() const override { return layout_; }

  bool wait(std::chrono::milliseconds most, std::vector<unsigned char>& bytes) override {
    const auto patience = std::chrono::duration_cast<std::chrono::microseconds>(most).count();
    ArvBuffer* buffer = arv_stream_timeout_pop_buffer(stream_.get(), static_cast<guint64>(patience));
    if (!buffer) {
      if (gone_) throw Error(name_ + ": the camera is gone");
      return false;
    }
    std::size_t size = 0;
    const void* data = arv_buffer_get_data(buffer, &size);
    const bool whole = arv_buffer_get_status(buffer) == ARV_BUFFER_STATUS_SUCCESS &&
                       arv_buffer_get_payload_type(buffer) == ARV_BUFFER_PAYLOAD_TYPE_IMAGE && data &&
                       size >= layout_.frame_bytes() && arv_buffer_get_image_width(buffer) == layout_.width &&
                       arv_buffer_get_image_height(buffer) == layout_.height;
    if (whole) {
      bytes.resize(layout_.frame_bytes());
      std::memcpy(bytes.data(), data, bytes.size());
    } else {
      ++damaged_;
    }
    arv_stream_push_buffer(stream_.get(), buffer);
    return whole;
  }

  std::uint64_t lost() const override {
    guint64 completed = 0;
    guint64 failed = 0;
    guint64 no_room = 0;
    arv_stream_get_statistics(stream_.get(), &completed, &failed, &no_room);
    return damaged_ + no_room;  // those that failed are handed out, and counted as damaged
  }

 private:
  void start() {
    Failure failure;
    stream_.reset(arv_camera_create_stream(camera_.get(), nullptr, nullptr, failure.place()));
    failure.check(name_);
    if (!stream_) throw Error(name_ + ": the camera gives no stream");
    const guint payload = arv_camera_get_payload(camera_.get(), failure.place());
    failure.check(name_);
    for (int i = 0; i < kBuffers; ++i) arv_stream_push_buffer(stream_.get(), arv_buffer_new(payload, nullptr));
    g_signal_connect(arv_camera_get_device(camera_.get()), "control-lost", G_CALLBACK(&AravisCamera::lose), this);
    arv_camera_set_acquisition_mode(camera_.get(), ARV_ACQUISITION_MODE_CONTINUOUS, failure.place());
    failure.check(name_);
    arv_camera_start_acquisition(camera_.get(), failure.place());
    failure.check(name_);
  }

  static void lose(ArvDevice*, AravisCamera* self) { self->gone_ = true; }

  Held<ArvCamera> camera_;
  Held<ArvStream> stream_;
  std::string name_;
  RawLayout layout_;
  std::uint64_t damaged_ = 0;
  std::atomic<bool> gone_ = false;
};

}  // namespace

}  // namespace snapcube::live

extern "C" snapcube::live::GenicamCamera* snapcube_open_genicam_camera(const std::string& id) {
  return new snapcube::live::AravisCamera(id);
}
