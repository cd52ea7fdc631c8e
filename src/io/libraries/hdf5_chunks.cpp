#include "io/libraries/hdf5_chunks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <span>
#include <vector>
#include <zlib.h>

#include <snapcube/error.h>

#include "io/format.h"
#include "io/input_file.h"
#include "io/libraries/hdf5_handle.h"

namespace snapcube::io {

namespace {

constexpr std::uint64_t kMaxChunks = 10'000'000;
/// A file of a few kB can claim any number of chunks, of which it holds some; each costs time.
constexpr double kUnwrittenFree = 4096;
constexpr double kUnwrittenPerWritten = 16;
/// HDF5 needs some 6 KB for every chunk that one call reads.
constexpr std::uint64_t kChunksOfARead = 4096;

/// How a dataset is cut into chunks; nothing for one that is not.
struct Chunks {
  std::vector<hsize_t> dataset;  ///< extents
  std::vector<hsize_t> chunk;
  std::vector<H5Z_filter_t> filters;  ///< in the order in which they were applied
  std::size_t element = 0;            ///< bytes
};

std::optional<Chunks> chunks_of(hid_t dataset) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED) return std::nullopt;
  Chunks chunks;
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Pget_chunk(properties.get(), H5S_MAX_RANK, extents.data());
  if (rank > 0) chunks.chunk.assign(extents.begin(), extents.begin() + rank);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int dimensions = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  if (dimensions > 0) chunks.dataset.assign(extents.begin(), extents.begin() + dimensions);
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  chunks.element = H5Tget_size(type.get());
  const int filters = H5Pget_nfilters(properties.get());
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    unsigned configuration = 0;
    std::size_t values = 0;
    chunks.filters.push_back(H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &values, nullptr, 0,
                                            nullptr, &configuration));
  }
  return chunks;
}

/// The place of a filter in the only order that is read; nothing for other filters.
std::optional<int> place_of(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_SHUFFLE:
      return 0;
    case H5Z_FILTER_DEFLATE:
      return 1;
    case H5Z_FILTER_FLETCHER32:
      return 2;
    default:
      return std::nullopt;
  }
}

/// How many bytes a zlib stream unpacks to, but no more than `most` + 1; nothing when it is damaged or incomplete.
std::optional<std::uint64_t> inflated_size(std::span<const std::byte> packed, std::uint64_t most) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::array<Bytef, 16384> buffer;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());  // a chunk has less than 2^32 bytes
  int status = Z_OK;
  while (status == Z_OK && stream.total_out <= most) {
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const std::uint64_t size = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END && size <= most) return std::nullopt;
  return size;
}

/// What undoing the filters makes of a chunk as it is stored; bit i of the mask: filter i was left out.
std::optional<std::uint64_t> unpacked_size(const Chunks& chunks, std::span<const std::byte> stored, std::uint32_t mask,
                                           std::uint64_t expected) {
  for (std::size_t i = chunks.filters.size(); i-- > 0;) {
    if (mask >> i & 1) continue;
    if (chunks.filters[i] == H5Z_FILTER_FLETCHER32) {
      if (stored.size() < 4) return std::nullopt;
      stored = stored.first(stored.size() - 4);
    }
    if (chunks.filters[i] == H5Z_FILTER_DEFLATE) return inflated_size(stored, expected);
  }
  return stored.size();
}

/// To the next block of this size, the last axis fastest; false after the last.
bool advance(std::vector<hsize_t>& offset, const std::vector<hsize_t>& block, const std::vector<hsize_t>& extents) {
  for (std::size_t axis = offset.size(); axis-- > 0;) {
    offset[axis] += block[axis];
    if (offset[axis] < extents[axis]) return true;
    offset[axis] = 0;
  }
  return false;
}

}  // namespace

void check_hdf5_storage(hid_t dataset, const std::string& name, const std::string& path, const ReadOptions& options) {
  const std::string field = fmt::format("'{}'", name);
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  const std::uint64_t length = InputFile(path).size();
  if (stored > length) {
    throw InputError(path, field, fmt::format("a file of at least {} bytes", stored), fmt::format("{}", length));
  }
  const auto chunks = chunks_of(dataset);
  if (!chunks) return;
  checked_elements({chunks->chunk.begin(), chunks->chunk.end()}, chunks->element, options.max_bytes, path,
                   "chunks of " + field);
  if (chunks->chunk.size() != chunks->dataset.size()) {
    throw InputError(path, field, fmt::format("chunks of {} dimensions", chunks->dataset.size()),
                     fmt::format("{}", chunks->chunk.size()));
  }
  double count = 1;
  for (std::size_t axis = 0; axis < chunks->chunk.size(); ++axis) {
    count *= static_cast<double>(chunks->dataset[axis]) / static_cast<double>(chunks->chunk[axis]) + 1;
  }
  if (count > kMaxChunks) {
    throw InputError(path, field, fmt::format("at most {} chunks", kMaxChunks), fmt::format("about {:.3g}", count));
  }
  hsize_t written = 0;
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Dget_num_chunks(dataset, space.get(), &written) < 0) written = 0;
  if (count > kUnwrittenFree + kUnwrittenPerWritten * static_cast<double>(written)) {
    throw InputError(path, field, fmt::format("most of its chunks (about {:.3g}) in the file", count),
                     std::to_string(written));
  }
  int last = -1;
  for (const H5Z_filter_t filter : chunks->filters) {
    const auto place = place_of(filter);
    if (!place || *place <= last) {
      throw InputError(path, field, "the filters shuffle, deflate and fletcher32, in this order",
                       fmt::format("filter {}{}", filter, place ? " out of order" : ""));
    }
    last = *place;
  }
}

void check_hdf5_chunks(hid_t dataset, const std::string& name, const std::string& path) {
  const auto chunks = chunks_of(dataset);
  if (!chunks) return;
  std::uint64_t expected = chunks->element;
  for (const hsize_t extent : chunks->chunk) expected *= extent;
  std::vector<hsize_t> offset(chunks->chunk.size());
  std::vector<std::byte> stored;
  do {
    hsize_t size = 0;
    std::uint32_t mask = 0;
    if (H5Dget_chunk_storage_size(dataset, offset.data(), &size) < 0 || size == 0) continue;  // never written: 0
    stored.resize(size);
    const bool read = H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &mask, stored.data()) >= 0;
    const auto unpacked = read ? unpacked_size(*chunks, stored, mask, expected) : std::nullopt;
    if (unpacked != expected) {
      throw InputError(path, fmt::format("'{}'", name), fmt::format("chunks of {} bytes", expected),
                       unpacked ? "one of another size" : "a damaged one");
    }
  } while (advance(offset, chunks->chunk, chunks->dataset));
}

namespace {

/// Whole chunks, as large as one read may be.
std::vector<hsize_t> block_of(const Chunks& chunks) {
  std::vector<hsize_t> block = chunks.dataset;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    std::uint64_t others = 1;
    for (std::size_t a = 0; a < block.size(); ++a) {
      if (a != axis) others *= (block[a] + chunks.chunk[a] - 1) / chunks.chunk[a];
    }
    const std::uint64_t own = (block[axis] + chunks.chunk[axis] - 1) / chunks.chunk[axis];
    if (own * others <= kChunksOfARead) break;
    block[axis] = std::min<hsize_t>(block[axis], chunks.chunk[axis] * std::max<hsize_t>(1, kChunksOfARead / others));
  }
  return block;
}

}  // namespace

bool read_hdf5_values(hid_t dataset, hid_t type, std::byte* values) {
  const auto chunks = chunks_of(dataset);
  if (!chunks) return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  const std::vector<hsize_t> block = block_of(*chunks);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> offset(block.size(), 0);
  do {
    std::vector<hsize_t> count = block;
    for (std::size_t axis = 0; axis < count.size(); ++axis) {
      count[axis] = std::min(count[axis], chunks->dataset[axis] - offset[axis]);
    }
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, offset.data(), nullptr, count.data(), nullptr) < 0) {
      return false;
    }
    // The array in memory has the dataset's extents: the same selection serves both.
    if (H5Dread(dataset, type, space.get(), space.get(), H5P_DEFAULT, values) < 0) return false;
  } while (advance(offset, block, chunks->dataset));
  return true;
}

}  // namespace snapcube::io
