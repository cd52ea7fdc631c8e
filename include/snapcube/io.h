#pragma once
/// Files in and out. The extension selects the format: .mat (v5, v7.3), .npy, .npz, .h5/.hdf5, .hdr (ENVI),
/// .tif/.tiff, .png, or a folder of per-band PNGs. docs/formats.md describes each of them.
///
/// A location is a path, or path:variable for formats that hold several arrays (.mat, .npz, .h5). A variable
/// with one dimension too many takes an index along its first axis: results.mat:pred[3].
///
/// Integer data is scaled to [0,1] by its type's range, or by the scale stored beside it, and the log says so.
/// Readers throw InputError, never allocate before they have checked, and never return NaN or infinity.
///
/// Thread safety: several threads may read and write different files at the same time. HDF5 files (.h5, .hdf5, .mat
/// v7.3) wait for each other: Debian's HDF5 library, which a program must not call meanwhile, is for one thread.
///
/// Processes: a damaged HDF5 file can crash the HDF5 library, so reading one is tried in a child process (fork) first.
/// A program that must not fork, because it holds a device or runs under MPI, sets ReadOptions::may_fork to false, and
/// then should read only HDF5 files that it trusts.

#include <cstdint>
#include <string>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// Order of the axes of a three-dimensional array in a file, slowest in memory first for C-ordered formats;
/// as MATLAB's size() shows it for .mat.
enum class CubeLayout {
  automatic,  ///< the shortest axis is the bands', when it is clearly the shortest; else the format's custom
  height_width_bands,
  bands_height_width,
  height_bands_width,
};

struct ReadOptions {
  CubeLayout layout = CubeLayout::automatic;
  /// Wavelengths in nm to use where the file has none (or instead of its own).
  std::vector<double> wavelengths = {};
  /// No file may make the reader allocate more than this.
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
  /// Whether an HDF5 file may be tried in a child process first (see above).
  bool may_fork = true;
};

Cube read_cube(const std::string& location, const ReadOptions& options = {});
Image read_measurement(const std::string& location, const ReadOptions& options = {});
Image read_mask(const std::string& location, const ReadOptions& options = {});

enum class SampleType { automatic, u8, u16, f32, f64 };
enum class EnviInterleave { bsq, bil, bip };

struct WriteOptions {
  /// automatic: f32 where the format has it, else u16.
  SampleType type = SampleType::automatic;
  /// Name of the array in .mat, .npz and .h5; empty: "cube", "meas" or "mask".
  std::string variable = {};
  bool mat_v73 = false;
  EnviInterleave interleave = EnviInterleave::bsq;
};

/// Written beside and renamed: the old file is intact or the new one complete. Integer types hold [0,1]; what
/// exceeds 1 is divided by a scale that is stored in the file, and refused where the format has no place for it.
void write(const Cube& cube, const std::string& path, const WriteOptions& options = {});
void write_measurement(const Image& measurement, const std::string& path, const WriteOptions& options = {});
void write_mask(const Image& mask, const std::string& path, const WriteOptions& options = {});

/// One array of a file, without its values.
struct ArrayInfo {
  std::string name;                 ///< empty where the format has no names
  std::vector<std::int64_t> shape;  ///< as the format's own users write it
  std::string type;                 ///< "float32", "uint16", …, or what makes it unreadable ("struct", "cell")
  bool readable = true;
};

struct FileInfo {
  std::string path;
  std::string format;  ///< "MATLAB v5", "NumPy", …
  std::vector<ArrayInfo> arrays;
  std::vector<double> wavelengths = {};
};

/// What a file holds, without reading the values.
FileInfo describe(const std::string& location, const ReadOptions& options = {});

}  // namespace snapcube
