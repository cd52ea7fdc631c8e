#pragma once
// An HDF5 file of several datasets.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace snapcube::io {

struct Hdf5Dataset {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::variant<const float*, const double*, const std::uint8_t*> values;
  std::string description;
};

/// Written beside and renamed.
void write_hdf5_datasets(const std::vector<Hdf5Dataset>& datasets, const std::string& path);

}  // namespace snapcube::io
