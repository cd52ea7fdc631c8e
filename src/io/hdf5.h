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

/// For programs, before anything else: HDF5 shall not clean up when they end. After a write that failed (a full disk)
/// it would crash there; all that is opened here is closed here anyway.
void keep_hdf5_from_cleaning_up_at_exit();

}  // namespace snapcube::io
