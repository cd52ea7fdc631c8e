// Several datasets in a file; see io/hdf5_datasets.h.

#include "io/hdf5_datasets.h"

#include <algorithm>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/libraries/formats.h"
#include "io/libraries/hdf5_handle.h"

namespace snapcube::io::libraries {

namespace {

class Writer {
 public:
  Writer(const std::string& path, const std::string& temporary) : path_(path) {
    file_ = opened(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  }

  void add(const Hdf5Dataset& dataset) {
    const std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
    const int rank = static_cast<int>(extents.size());
    const Hdf5Handle space = opened(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
    const Hdf5Handle properties = opened(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties.get(), false));  // the same values give the same bytes
    if (rank > 1) {
      // A chunk is a tile of one band, as in the files of cubes.
      std::vector<hsize_t> chunk = extents;
      for (hsize_t& extent : chunk) extent = std::min<hsize_t>(extent, 256);
      if (rank > 2) chunk[0] = 1;
      check(H5Pset_chunk(properties.get(), rank, chunk.data()));
      check(H5Pset_shuffle(properties.get()));
      check(H5Pset_deflate(properties.get(), 1));
    }
    const auto [stored, memory, values] = types(dataset);
    Hdf5Handle handle = opened(
        H5Dcreate2(file_.get(), dataset.name.c_str(), stored, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose);
    check(H5Dwrite(handle.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    if (rank == 3) write_text(handle, "layout", "bands_height_width");
    if (!dataset.description.empty()) write_text(handle, "description", dataset.description);
    if (!handle.close()) fail();
  }

  void finish() {
    if (!file_.close()) fail();
  }

 private:
  struct Types {
    hid_t stored;
    hid_t memory;
    const void* values;
  };
  static Types types(const Hdf5Dataset& dataset) {
    if (const auto* v = std::get_if<const float*>(&dataset.values)) return {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, *v};
    if (const auto* v = std::get_if<const double*>(&dataset.values)) return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, *v};
    return {H5T_STD_U8LE, H5T_NATIVE_UINT8, std::get<const std::uint8_t*>(dataset.values)};
  }

  void write_text(const Hdf5Handle& object, const char* name, const std::string& text) const {
    const Hdf5Handle type = opened(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.get(), text.size() + 1));
    const Hdf5Handle space = opened(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute =
        opened(H5Acreate2(object.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(attribute.get(), type.get(), text.c_str()));
  }

  [[noreturn]] void fail() const { throw Error(fmt::format("{}: cannot write: {}", path_, hdf5_message())); }
  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Hdf5Handle opened(hid_t id, herr_t (*close)(hid_t)) const {
    if (id < 0) fail();
    return {id, close};
  }

  std::string path_;
  Hdf5Handle file_;
};

}  // namespace

void write_hdf5_datasets(const std::vector<Hdf5Dataset>& datasets, const std::string& path) {
  const Hdf5Silence silence;
  AtomicFile file(path);
  Writer writer(path, file.path().string());
  for (const Hdf5Dataset& dataset : datasets) writer.add(dataset);
  writer.finish();
  file.commit();
}

}  // namespace snapcube::io::libraries
