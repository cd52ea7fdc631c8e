#pragma once
// Formats that take large libraries: HDF5, matio and libtiff, which bring thirty others along. What uses them is in a
// library of its own (src/io/libraries/, libsnapcube-formats), loaded with the first file that needs it: loading all of
// them takes longer than most commands.

#include <filesystem>

#include "io/format.h"
#include "io/hdf5_datasets.h"

namespace snapcube::io {

struct LibraryFormats {
  const Format& hdf5;
  const Format& mat73;
  const Format& tiff;
  void (*keep_hdf5_from_cleaning_up)();
  void (*write_hdf5_datasets)(const std::vector<Hdf5Dataset>&, const std::string& path);
};

/// The folder that libsnapcube was loaded from: other libraries of the project are there, too.
std::filesystem::path library_folder();

/// Loaded at the first call, from the folder that libsnapcube is in. Throws Error where that fails.
const LibraryFormats& library_formats();

/// MATLAB v7.3: an HDF5 file as matio writes it.
const Format& mat73_format();

/// For programs, before anything else: HDF5 shall not clean up when they end. After a write that failed (a full disk)
/// it would crash there; all that is opened here is closed here anyway.
void keep_hdf5_from_cleaning_up_at_exit();

}  // namespace snapcube::io
