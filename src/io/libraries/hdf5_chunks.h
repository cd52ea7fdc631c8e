#pragma once
// What HDF5 1.10 does not check of a dataset before it allocates and copies.

#include <hdf5.h>
#include <string>

#include <snapcube/io.h>

namespace snapcube::io {

/// The sizes of chunks, packed and unpacked, against the limit and the file's length; and their filters: shuffle,
/// deflate and fletcher32, in this order, are what others write. Throws InputError.
void check_hdf5_storage(hid_t dataset, const std::string& name, const std::string& path, const ReadOptions& options);

/// Every chunk unpacks to as many bytes as a chunk has: HDF5 copies that many, whatever came out. Throws InputError.
/// After check_hdf5_storage.
void check_hdf5_chunks(hid_t dataset, const std::string& name, const std::string& path);

/// All values, in the dataset's order, in calls that each read a limited number of chunks: what HDF5 keeps of them
/// would otherwise be a hundred times the array. False: HDF5 reports an error.
bool read_hdf5_values(hid_t dataset, hid_t type, std::byte* values);

}  // namespace snapcube::io
