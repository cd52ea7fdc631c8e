#pragma once
// HDF5's identifiers as objects, its errors and its types as ours.

#include <hdf5.h>
#include <string>
#include <utility>

#include "io/format.h"

namespace snapcube::io {

/// An identifier that is closed at the end of its scope.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Closes now; false when that fails (as writing to a full disk does).
  bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Keeps HDF5 from printing its errors while it exists.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The name of a dimension scale that is a length and nothing else, as netCDF-4 has it; the length follows.
inline constexpr const char* kNoVariable = "This is a netCDF dimension but not a netCDF variable.";

/// The innermost message of HDF5's error stack, such as "unable to open file".
std::string hdf5_message();

/// The type of an array in memory; f16 is read as f32.
hid_t hdf5_type(ElementType type);

}  // namespace snapcube::io
