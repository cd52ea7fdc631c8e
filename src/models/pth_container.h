#pragma once
// The two files that torch.save writes: a zip archive with a pickle and one entry a storage, and the older sequence of
// pickles that the storages follow.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/pth_objects.h"

namespace snapcube {

/// A pickle describes tensors; the largest networks need a megabyte.
constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{64} << 20;

/// All elements of a storage.
struct StorageBytes {
  std::vector<std::byte> owned;      ///< empty where they can be used in place
  std::span<const std::byte> bytes;  ///< of exactly PthStorage::total elements
  bool big_endian = false;
};

class PthContainer {
 public:
  virtual ~PthContainer() = default;
  virtual std::string format() const = 0;
  virtual StorageBytes read(const PthStorage& storage) const = 0;

  const PthObjects& objects() const { return objects_; }
  const PickledObject& root() const { return objects_[root_]; }

 protected:
  PthObjects objects_;
  ObjectId root_ = 0;
};

/// "PK" at the start.
bool is_pth_zip(std::span<const std::byte> file);
/// A pickle at the start.
bool is_pth_legacy(std::span<const std::byte> file);

/// Reads the description; storages are read when they are asked for. `file` must live as long as the result. Throws
/// InputError.
std::unique_ptr<PthContainer> open_pth_zip(std::span<const std::byte> file, const std::string& source,
                                           std::uint64_t max_bytes);
std::unique_ptr<PthContainer> open_pth_legacy(std::span<const std::byte> file, const std::string& source);

}  // namespace snapcube
