#pragma once
// The formats of this library; each is defined in the file of its name.

#include "io/format.h"
#include "io/hdf5_datasets.h"

namespace snapcube::io::libraries {

const Format& hdf5_format();
const Format& mat73_format();
const Format& tiff_format();
void write_hdf5_datasets(const std::vector<Hdf5Dataset>& datasets, const std::string& path);

}  // namespace snapcube::io::libraries
