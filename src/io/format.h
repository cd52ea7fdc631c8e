#pragma once
// What a file format is to the rest of the program. One file a format; io.cpp chooses by extension.
//
//   reading:  Format::describe → pick an array by name → Format::load → StoredArray → to_cube / to_image (convert.h)
//   writing:  Cube / Image → SaveRequest (values as floats, meaning, wanted type) → Format::save

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/io.h>

namespace snapcube::io {

enum class ElementType { u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64 };

/// Bytes of one element.
std::size_t element_size(ElementType type);
/// "uint16", "float32", …
std::string element_name(ElementType type);
bool is_integer(ElementType type);
/// The largest value of an integer type: 255, 32767, …; of 64 bits the power of two above it, which a double holds.
double largest_integer(ElementType type);

/// An array as it stands in a file, in native byte order.
struct StoredArray {
  std::string name;
  /// As the format's own users write it: MATLAB's size(), NumPy's .shape.
  std::vector<std::int64_t> shape;
  ElementType type = ElementType::f32;
  /// True: the first index runs fastest (MATLAB, NumPy's fortran_order). False: the last.
  bool first_index_fastest = false;
  std::vector<std::byte> bytes;

  /// The order of axes that the file itself states (ENVI, TIFF, PNG folder); automatic where it does not.
  CubeLayout layout = CubeLayout::automatic;
  /// The order that is customary in this format where neither file nor sizes tell.
  CubeLayout custom = CubeLayout::height_width_bands;
  /// True for a MATLAB logical or a 1-bit image: values are 0 and 1 and are not scaled.
  bool logical = false;
  /// Value that the largest integer of the type stands for (1 where the file stores none). Stored for integer types
  /// only.
  std::optional<double> scale;
  std::vector<double> wavelengths;  ///< nm; empty when the file has none
};

/// Number of elements of a shape. Throws InputError for negative or zero extents, overflow, or more than
/// max_bytes at `bytes_per_element` each; `source` and `field` name the place in messages.
std::uint64_t checked_elements(const std::vector<std::int64_t>& shape, std::size_t bytes_per_element,
                               std::uint64_t max_bytes, const std::string& source, const std::string& field);

/// Throws InputError when a name occurs twice: which of the arrays is meant would be a guess.
void check_names(const FileInfo& file);

/// What is to be written: an image (bands = 0) or a cube.
struct SaveRequest {
  const float* values = nullptr;  ///< [bands][height][width]
  int bands = 0;
  int height = 0;
  int width = 0;
  std::vector<double> wavelengths;
  std::string variable;  ///< never empty
  SampleType type = SampleType::automatic;
  WriteOptions options;

  /// An image is one plane.
  int planes() const { return bands > 0 ? bands : 1; }
  std::size_t count() const { return static_cast<std::size_t>(planes()) * height * width; }
};

/// Values, sizes and wavelengths of what is to be written; it must live as long as the request.
SaveRequest save_request(const Cube& cube);
SaveRequest save_request(const Image& image);

class Format {
 public:
  virtual ~Format() = default;
  virtual FileInfo describe(const std::string& path, const ReadOptions& options) const = 0;
  /// `name` is one of describe()'s arrays (empty for formats without names).
  virtual StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const = 0;
  virtual void save(const SaveRequest& request, const std::string& path) const = 0;
};

// The formats; each is defined in the file of its name.
const Format& mat_format();         // mat.cpp
const Format& npy_format();         // npy.cpp
const Format& npz_format();         // npz.cpp
const Format& hdf5_format();        // libraries/hdf5.cpp
const Format& envi_format();        // envi.cpp
const Format& tiff_format();        // libraries/tiff.cpp
const Format& png_format();         // png.cpp
const Format& png_folder_format();  // png_folder.cpp

}  // namespace snapcube::io
