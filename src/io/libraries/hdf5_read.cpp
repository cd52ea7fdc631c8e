#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/companions.h"
#include "io/libraries/hdf5.h"
#include "io/libraries/hdf5_chunks.h"
#include "io/libraries/hdf5_handle.h"
#include "io/rehearse.h"

namespace snapcube::io {

namespace {

/// More datasets than this are no data for us.
constexpr std::size_t kMaxDatasets = 10'000;

Hdf5Handle open_file(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file.valid()) throw InputError(path, "", "an HDF5 file", hdf5_message());
  return file;
}

/// What a dataset is, so far as it matters here.
struct Dataset {
  ArrayInfo info;
  ElementType type = ElementType::f32;
  bool logical = false;
  bool first_index_fastest = false;  ///< written by MATLAB or Octave; `info.shape` is then reversed
};

bool has_attribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

/// A short text attribute; empty when it is absent or something else.
std::string text_attribute(hid_t object, const char* name) {
  if (!has_attribute(object, name)) return {};
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) return {};
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const std::size_t size = H5Tget_size(type.get());
  if (size == 0 || size > 256 || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  std::string text(size, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

/// The numbers of a small attribute; none when it is absent or something else.
std::vector<double> number_attribute(hid_t object, const char* name) {
  if (!has_attribute(object, name)) return {};
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return {};
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 1 || static_cast<std::uint64_t>(count) > kMaxWavelengths) return {};
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

std::optional<ElementType> integer_type(std::size_t size, bool has_sign) {
  switch (size) {
    case 1:
      return has_sign ? ElementType::i8 : ElementType::u8;
    case 2:
      return has_sign ? ElementType::i16 : ElementType::u16;
    case 4:
      return has_sign ? ElementType::i32 : ElementType::u32;
    case 8:
      return has_sign ? ElementType::i64 : ElementType::u64;
    default:
      return std::nullopt;
  }
}

/// h5py stores booleans as an enumeration of FALSE and TRUE.
bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  for (unsigned i = 0; i < 2; ++i) {
    char* name = H5Tget_member_name(type, i);
    const std::string member = name ? name : "";
    H5free_memory(name);
    if (member != "FALSE" && member != "TRUE") return false;
  }
  return true;
}

std::string unreadable_type(H5T_class_t kind, const std::string& matlab_class) {
  if (matlab_class == "cell") return "cell";
  switch (kind) {
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return matlab_class.empty() ? "compound" : "complex " + matlab_class;
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "variable-length";
    case H5T_ARRAY:
      return "array-valued";
    default:
      return "opaque";
  }
}

void classify(Dataset& dataset, hid_t type, const std::string& matlab_class) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  std::optional<ElementType> element;
  if (kind == H5T_INTEGER) element = integer_type(size, H5Tget_sign(type) == H5T_SGN_2);
  if (kind == H5T_FLOAT && size <= 4) element = ElementType::f32;  // HDF5 widens 16 bits when it reads
  if (kind == H5T_FLOAT && size == 8) element = ElementType::f64;
  if (is_boolean(type)) element = ElementType::u8;
  dataset.logical = element && (matlab_class == "logical" || is_boolean(type));
  if (!element) {
    dataset.info.readable = false;
    const bool number = kind == H5T_INTEGER || kind == H5T_FLOAT;
    dataset.info.type = number ? fmt::format("{}-bit number", 8 * size) : unreadable_type(kind, matlab_class);
    return;
  }
  dataset.type = *element;
  dataset.info.type = dataset.logical ? "logical" : element_name(*element);
  if (kind == H5T_FLOAT && size == 2) dataset.info.type = "float16";
  if (matlab_class == "char") {
    dataset.info.readable = false;
    dataset.info.type = "char";
  }
}

/// What makes a dataset's storage unfit: values in other files, which a file from elsewhere could
/// point anywhere.
std::string unfit_storage(hid_t dataset) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) return "virtual (values in other files)";
  if (H5Pget_external_count(properties.get()) > 0) return "external (values in another file)";
  return {};
}

Dataset inspect(hid_t handle, const std::string& name, bool octave) {
  Dataset dataset;
  dataset.info.name = name;
  const Hdf5Handle type(H5Dget_type(handle), H5Tclose);
  const std::string matlab_class = text_attribute(handle, "MATLAB_class");
  classify(dataset, type.get(), matlab_class);

  const Hdf5Handle space(H5Dget_space(handle), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  for (int i = 0; i < rank; ++i) {
    dataset.info.shape.push_back(static_cast<std::int64_t>(std::min<hsize_t>(extents[i], INT64_MAX)));
  }
  dataset.first_index_fastest = octave || !matlab_class.empty();
  if (dataset.first_index_fastest) std::ranges::reverse(dataset.info.shape);

  const bool empty = rank < 0 || H5Sget_simple_extent_type(space.get()) == H5S_NULL ||
                     std::ranges::count(dataset.info.shape, 0) > 0 || has_attribute(handle, "MATLAB_empty");
  if (empty) {
    dataset.info.readable = false;
    dataset.info.type = "empty " + dataset.info.type;
  }
  if (const std::string storage = unfit_storage(handle); !storage.empty()) {
    dataset.info.readable = false;
    dataset.info.type = storage;
  }
  return dataset;
}

/// Octave's save -hdf5 makes a group of each variable and puts its elements into "value".
bool octave_wrote(hid_t file, const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos || name.substr(slash + 1) != "value") return false;
  const Hdf5Handle group(H5Oopen(file, name.substr(0, slash).c_str(), H5P_DEFAULT), H5Oclose);
  return group.valid() && has_attribute(group.get(), "OCTAVE_NEW_FORMAT");
}

/// Names of all datasets that hard links reach; soft and external links are left alone.
std::vector<std::string> dataset_names(hid_t file, const std::string& path) {
  struct Found {
    std::vector<std::string> names;
    bool out_of_memory = false;
  } found;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* list) noexcept -> herr_t {
    auto& [names, out_of_memory] = *static_cast<Found*>(list);
    try {  // no exception may pass through the library, which is C
      // '#' begins MATLAB's own bookkeeping.
      if (info->type == H5O_TYPE_DATASET && name[0] != '#') names.emplace_back(name);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
    return out_of_memory || names.size() > kMaxDatasets ? -1 : 0;
  };
  std::vector<std::string>& names = found.names;
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &found, H5O_INFO_BASIC) < 0) {
    if (found.out_of_memory) throw std::bad_alloc();
    if (names.size() > kMaxDatasets) {
      throw InputError(path, "", fmt::format("at most {} datasets", kMaxDatasets), "more");
    }
    throw InputError(path, "", "a sound HDF5 file", hdf5_message());
  }
  std::ranges::sort(names);
  return std::move(names);
}

Hdf5Handle open_dataset(hid_t file, const std::string& name, const std::string& path) {
  Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) throw InputError(path, fmt::format("'{}'", name), "a dataset", hdf5_message());
  return dataset;
}

enum class Part { everything, all_but_values };

StoredArray load_dataset(hid_t file, const std::string& name, const std::string& path, const ReadOptions& options,
                         Part part = Part::everything) {
  const Hdf5Handle handle = open_dataset(file, name, path);
  const Dataset dataset = inspect(handle.get(), name, octave_wrote(file, name));
  const std::string field = fmt::format("'{}'", name);
  if (!dataset.info.readable) throw InputError(path, field, "an array of real numbers", dataset.info.type);
  StoredArray array;
  array.name = name;
  array.shape = dataset.info.shape;
  array.type = dataset.type;
  array.logical = dataset.logical;
  array.first_index_fastest = dataset.first_index_fastest;
  array.custom = dataset.first_index_fastest ? CubeLayout::height_width_bands : CubeLayout::bands_height_width;
  if (text_attribute(handle.get(), "layout") == "bands_height_width") {
    array.layout = CubeLayout::bands_height_width;
  }
  const std::size_t size = element_size(array.type);
  const std::uint64_t count = checked_elements(array.shape, size, options.max_bytes, path, field);
  check_hdf5_storage(handle.get(), name, path, options);
  if (part == Part::everything) {
    check_hdf5_chunks(handle.get(), name, path);
    array.bytes.resize(count * size);
    const Hdf5Handle boolean(H5Dget_type(handle.get()), H5Tclose);
    const hid_t memory_type = H5Tget_class(boolean.get()) == H5T_ENUM ? boolean.get() : hdf5_type(array.type);
    if (!read_hdf5_values(handle.get(), memory_type, array.bytes.data())) {
      throw InputError(path, field, "values that can be read", hdf5_message());
    }
  }
  for (const char* attribute : {"wavelengths", "wavelength"}) {
    if (array.wavelengths.empty()) array.wavelengths = number_attribute(handle.get(), attribute);
  }
  if (!plausible_wavelengths(array.wavelengths)) array.wavelengths.clear();
  const std::vector<double> scale = number_attribute(handle.get(), "full_scale");
  if (!scale.empty()) array.scale = scale[0];
  return array;
}

FileInfo list(hid_t file, const std::string& path) {
  FileInfo info;
  info.path = path;
  info.format = "HDF5";
  for (const std::string& name : dataset_names(file, path)) {
    const Hdf5Handle handle = open_dataset(file, name, path);
    if (text_attribute(handle.get(), "NAME").starts_with(kNoVariable)) continue;
    info.arrays.push_back(inspect(handle.get(), name, octave_wrote(file, name)).info);
    if (!info.wavelengths.empty()) continue;
    for (const char* attribute : {"wavelengths", "wavelength"}) {
      std::vector<double> values = number_attribute(handle.get(), attribute);
      if (plausible_wavelengths(values)) info.wavelengths = std::move(values);
    }
  }
  return info;
}

FileInfo describe_file(const std::string& path, const ReadOptions& options) {
  const Hdf5Silence silence;
  const Hdf5Handle file = open_file(path);
  FileInfo info = list(file.get(), path);
  find_wavelengths(info, [&](const std::string& name) { return load_dataset(file.get(), name, path, options); });
  return info;
}

StoredArray load_file(const std::string& path, const std::string& name, const ReadOptions& options, Part part) {
  const Hdf5Silence silence;
  const Hdf5Handle file = open_file(path);
  const FileInfo info = list(file.get(), path);
  // Only what the listing reached: a name may otherwise lead through a link into another file.
  if (std::ranges::find(info.arrays, name, &ArrayInfo::name) == info.arrays.end()) {
    throw InputError(path, "", fmt::format("a dataset '{}'", name), "none of that name");
  }
  StoredArray array = load_dataset(file.get(), name, path, options, part);
  attach_companions(array, info,
                    [&](const std::string& other) { return load_dataset(file.get(), other, path, options); });
  return array;
}

}  // namespace

// HDF5 1.10 frees and reads what it never filled when a file's own bookkeeping is damaged. Values are not read in
// the rehearsal: they take long, and of the bookkeeping nothing new is met there.

FileInfo describe_hdf5(const std::string& path, const ReadOptions& options) {
  if (options.may_fork) rehearse(path, "an HDF5 file", options.max_bytes, [&] { describe_file(path, options); });
  return describe_file(path, options);
}

StoredArray load_hdf5(const std::string& path, const std::string& name, const ReadOptions& options) {
  if (options.may_fork) {
    rehearse(path, "an HDF5 file", options.max_bytes, [&] { load_file(path, name, options, Part::all_but_values); });
  }
  return load_file(path, name, options, Part::everything);
}

}  // namespace snapcube::io
