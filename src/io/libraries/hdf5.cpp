// HDF5 files: one dataset [bands][height][width] with attributes that tell what it is. Dimension scales name its axes,
// so that xarray and all that reads netCDF-4 find them, and the wavelengths as a coordinate.

#include "io/libraries/hdf5.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <hdf5_hl.h>
#include <vector>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/libraries/formats.h"
#include "io/libraries/hdf5_handle.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

class Hdf5Writer {
 public:
  Hdf5Writer(const SaveRequest& request, const std::string& path, const std::string& temporary)
      : request_(request), path_(path) {
    file_ = opened(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  }

  void write() {
    write_dataset();
    if (request_.bands > 0) write_text("layout", "bands_height_width");
    if (!request_.wavelengths.empty()) {
      write_numbers("wavelengths", request_.wavelengths);
      write_text("wavelength_units", "nm");
    }
    if (request_.bands > 0) name_axes();
    write_text("description",
               request_.bands > 0 ? "hyperspectral cube, linear light, 1 is white" : "image, linear light");
    if (!dataset_.close() || !file_.close()) fail();
  }

 private:
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: cannot write: {}", path_, hdf5_message())); }
  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Hdf5Handle opened(hid_t id, herr_t (*close)(hid_t)) const {
    if (id < 0) fail();
    return {id, close};
  }

  hid_t stored_type() const {
    switch (request_.type) {
      case SampleType::u8:
        return H5T_STD_U8LE;
      case SampleType::u16:
        return H5T_STD_U16LE;
      case SampleType::f64:
        return H5T_IEEE_F64LE;
      case SampleType::automatic:
      case SampleType::f32:
        break;
    }
    return H5T_IEEE_F32LE;
  }

  void write_dataset() {
    const auto height = static_cast<hsize_t>(request_.height);
    const auto width = static_cast<hsize_t>(request_.width);
    const auto bands = static_cast<hsize_t>(request_.bands);
    const int rank = bands > 0 ? 3 : 2;
    const std::array<hsize_t, 3> extents =
        bands > 0 ? std::array{bands, height, width} : std::array{height, width, hsize_t{1}};
    // A chunk is a tile of one band: reading one band, or a region, unpacks little else.
    const hsize_t tile = 256;
    const std::array<hsize_t, 3> chunk = bands > 0
                                             ? std::array{hsize_t{1}, std::min(height, tile), std::min(width, tile)}
                                             : std::array{std::min(height, tile), std::min(width, tile), hsize_t{1}};
    const Hdf5Handle space = opened(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
    const Hdf5Handle properties = opened(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_chunk(properties.get(), rank, chunk.data()));
    check(H5Pset_shuffle(properties.get()));
    check(H5Pset_deflate(properties.get(), kDeflateLevel));
    check(H5Pset_obj_track_times(properties.get(), false));  // the same values give the same bytes
    dataset_ = opened(H5Dcreate2(file_.get(), request_.variable.c_str(), stored_type(), space.get(), H5P_DEFAULT,
                                 properties.get(), H5P_DEFAULT),
                      H5Dclose);
    const Serialised elements = serialise(request_, ElementOrder::bands_rows_columns);
    check(H5Dwrite(dataset_.get(), hdf5_type(elements.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.bytes.data()));
    if (elements.scale != 1) write_numbers("full_scale", {elements.scale});
  }

  /// wavelength (or band), y, x.
  void name_axes() {
    attach_scale(0, request_.wavelengths.empty() ? "band" : "wavelength", request_.bands, request_.wavelengths);
    attach_scale(1, "y", request_.height, {});
    attach_scale(2, "x", request_.width, {});
  }

  /// A dataset that is the scale of an axis. Without values it is what netCDF calls a dimension without a variable;
  /// then nothing is stored but its length.
  void attach_scale(unsigned axis, const std::string& name, int length, const std::vector<double>& values) {
    if (name == request_.variable) return;
    const hsize_t count = static_cast<hsize_t>(length);
    const Hdf5Handle space = opened(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Hdf5Handle properties = opened(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.get(), false));
    const hid_t type = values.empty() ? H5T_IEEE_F32BE : H5T_IEEE_F64LE;
    const Hdf5Handle scale = opened(
        H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose);
    if (values.empty()) {
      check(H5DSset_scale(scale.get(), fmt::format("{}{:10}", kNoVariable, length).c_str()));
    } else {
      check(H5Dwrite(scale.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
      check(H5DSset_scale(scale.get(), name.c_str()));
      check(H5LTset_attribute_string(file_.get(), name.c_str(), "units", "nm"));
    }
    check(H5DSattach_scale(dataset_.get(), scale.get(), axis));
  }

  void write_numbers(const char* name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const Hdf5Handle space = opened(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Hdf5Handle attribute =
        opened(H5Acreate2(dataset_.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data()));
  }

  void write_text(const char* name, const std::string& text) {
    const Hdf5Handle type = opened(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.get(), text.size() + 1));
    const Hdf5Handle space = opened(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute =
        opened(H5Acreate2(dataset_.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(attribute.get(), type.get(), text.c_str()));
  }

  /// Measured on 256×256×28 floats with noise in their last digits: with shuffling, level 1 takes
  /// 0.35 s and saves 22 %, level 6 takes 0.41 s and saves 23 %; without it level 1 takes 0.67 s
  /// and saves 10 %. Values of 8-bit precision are the exception: shuffling makes their file 1.75
  /// times as long.
  static constexpr unsigned kDeflateLevel = 1;

  const SaveRequest& request_;
  std::string path_;
  Hdf5Handle file_;
  Hdf5Handle dataset_;
};

class Hdf5Format : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    return describe_hdf5(path, options);
  }
  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    return load_hdf5(path, name, options);
  }
  void save(const SaveRequest& request, const std::string& path) const override {
    const Hdf5Silence silence;
    AtomicFile file(path);
    Hdf5Writer(request, path, file.path().string()).write();
    file.commit();
  }
};

}  // namespace

const Format& libraries::hdf5_format() {
  static const Hdf5Format format;
  return format;
}

}  // namespace snapcube::io
