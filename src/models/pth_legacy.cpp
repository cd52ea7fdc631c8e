// torch's older format: five pickles (a magic number, the version, facts about the machine, the object, the keys of
// its storages), then for each key the number of elements (8 bytes) and the elements.

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "models/pth_container.h"
#include "models/pth_pickle.h"

namespace snapcube {

namespace {

/// 0x1950a86a20f9469cfc6c, the lowest byte first.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kVersion = 1001;
constexpr std::size_t kCountBytes = 8;

class PthLegacy : public PthContainer {
 public:
  PthLegacy(std::span<const std::byte> file, std::string source) : file_(file), source_(std::move(source)) {
    if (const PickledObject& magic = next_pickle(); magic.kind != ObjectKind::long_integer || magic.text != kMagic) {
      throw InputError(source_, "", "a file of torch.save", "a pickle of something else");
    }
    if (const PickledObject& version = next_pickle();
        version.kind != ObjectKind::integer || version.integer != kVersion) {
      throw InputError(source_, "version", fmt::format("{}", kVersion), "another one");
    }
    // Whether the machine was little-endian: the storages are so on all machines.
    next_pickle();
    next_pickle();
    root_ = last_;
    const PickledObject keys = next_pickle();
    if (keys.kind != ObjectKind::list) throw InputError(source_, "keys", "a list", std::string(kind_text(keys.kind)));
    find_storages(keys.items);
  }

  std::string format() const override { return "PyTorch, the older format"; }

  StorageBytes read(const PthStorage& storage) const override {
    const auto found = storages_.find(storage.key);
    if (found == storages_.end()) {
      throw InputError(source_, fmt::format("storage {}", quoted_name(storage.key)), "a key in the file's list",
                       "none");
    }
    return {{}, found->second.bytes, found->second.big_endian};
  }

 private:
  struct Place {
    std::span<const std::byte> bytes;
    bool big_endian;
  };

  const PickledObject& next_pickle() {
    const std::span<const std::byte> rest = file_.subspan(at_);
    const PickleResult result =
        run_pickle(rest.first(std::min<std::size_t>(rest.size(), kMaxPickleBytes)), source_, objects_);
    at_ += result.length;
    last_ = result.root;
    return objects_[last_];
  }

  void find_storages(const std::vector<ObjectId>& keys) {
    std::unordered_map<std::string_view, const PthStorage*> described;
    for (const PthStorage& storage : objects_.storages) {
      const PthStorage& first = *described.try_emplace(storage.key, &storage).first->second;
      if (first.type != storage.type || first.total != storage.total) {
        throw InputError(source_, field_of(storage.key), "one type and size", "two");
      }
    }
    for (const ObjectId id : keys) {
      const std::string_view key = objects_[id].text;
      const auto storage = described.find(key);
      if (objects_[id].kind != ObjectKind::text || storage == described.end()) {
        throw InputError(source_, "keys", "those of the storages in the pickle", quoted_name(key));
      }
      if (!storages_.try_emplace(key, next_storage(*storage->second)).second) {
        throw InputError(source_, "keys", "every key once", quoted_name(key) + " twice");
      }
    }
    if (at_ != file_.size()) {
      throw InputError(source_, "", fmt::format("the end at byte {}, behind the last storage", at_),
                       fmt::format("{} bytes", file_.size()));
    }
  }

  /// The count in front of the elements is that of the pickle; written the other way round, so are the elements.
  Place next_storage(const PthStorage& storage) {
    const std::span<const std::byte> rest = file_.subspan(at_);
    const std::uint64_t size = storage.total * tensor_element_size(storage.type);  // the total is below 2⁴⁸
    if (rest.size() < kCountBytes || rest.size() - kCountBytes < size) {
      throw InputError(source_, field_of(storage.key), fmt::format("{} bytes", kCountBytes + size),
                       fmt::format("the end of the file after {}", rest.size()));
    }
    std::uint64_t count;
    std::memcpy(&count, rest.data(), kCountBytes);
    const bool big_endian = count != storage.total && __builtin_bswap64(count) == storage.total;
    if (count != storage.total && !big_endian) {
      throw InputError(source_, field_of(storage.key), fmt::format("{} elements, as the pickle says", storage.total),
                       fmt::format("{}", count));
    }
    at_ += kCountBytes + size;
    return {rest.subspan(kCountBytes, size), big_endian};
  }

  static std::string field_of(std::string_view key) { return fmt::format("storage {}", quoted_name(key)); }

  std::span<const std::byte> file_;
  std::string source_;
  std::size_t at_ = 0;
  ObjectId last_ = 0;
  std::unordered_map<std::string_view, Place> storages_;
};

}  // namespace

bool is_pth_legacy(std::span<const std::byte> file) {
  return file.size() >= 2 && file[0] == std::byte{0x80} && file[1] >= std::byte{2} && file[1] <= std::byte{5};
}

std::unique_ptr<PthContainer> open_pth_legacy(std::span<const std::byte> file, const std::string& source) {
  return std::make_unique<PthLegacy>(file, source);
}

}  // namespace snapcube
