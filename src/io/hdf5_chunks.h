#pragma once
// What HDF5 1.10 does not check of a dataset before it allocates and copies.

#include <hdf5.h>
#include <string>

#include <snapcube/io.h>

namespace snapcube {

/// The sizes of chunks, packed and unpacked, against the limit and the file's length; and their filters: shuffle,
/// deflate and fletcher32, in this order, are what others write. Throws InputError.
void check_hdf5_storage(hid_t dataset, const std::string& name, const std::string& path, const ReadOptions& options);

/// Every chunk unpacks to as many bytes as a chunk has: HDF5 copies that many, whatever came out. Throws InputError.
/// After check_hdf5_storage.
void check_hdf5_chunks(hid_t dataset, const std::string& name, const std::string& path);

}  // namespace snapcube
