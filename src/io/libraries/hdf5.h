#pragma once
// Reading HDF5, which is also what MATLAB v7.3 files are.

#include <string>

#include "io/format.h"

namespace snapcube::io {

/// All datasets, also those in groups ("scene/cube"). Links to other files are not followed.
FileInfo describe_hdf5(const std::string& path, const ReadOptions& options);

/// Datasets that MATLAB or Octave wrote have their size() as shape, and the first index is the
/// fastest.
StoredArray load_hdf5(const std::string& path, const std::string& name, const ReadOptions& options);

}  // namespace snapcube::io
