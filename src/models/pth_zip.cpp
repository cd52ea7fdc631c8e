// torch's zip format:
//   <name>/data.pkl   the pickle; a tensor's storage is named in it by a key
//   <name>/data/<key> the elements of a storage
//   <name>/byteorder  "little" or "big"; little where it is missing
// Other entries (version, serialization_id) are of no account.

#include <fmt/format.h>
#include <map>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/zip_archive.h"
#include "models/pth_container.h"
#include "models/pth_pickle.h"

namespace snapcube {

namespace {

constexpr std::size_t kMaxEntries = 200'000;
constexpr std::string_view kPickle = "data.pkl";

class PthZip : public PthContainer {
 public:
  PthZip(std::span<const std::byte> file, std::string source, std::uint64_t max_bytes)
      : source_(std::move(source)),
        max_bytes_(max_bytes),
        archive_(file, source_, "a zip archive as torch.save writes it", kMaxEntries) {
    list_entries();
    find_pickle();
    read_byte_order();
    pickle_ = read_small(kPickle, kMaxPickleBytes);
    const PickleResult result = run_pickle(pickle_, source_, objects_);
    if (result.length != pickle_.size()) {
      throw InputError(source_, "pickle", fmt::format("its end at byte {}", result.length),
                       fmt::format("{} bytes", pickle_.size()));
    }
    root_ = result.root;
  }

  std::string format() const override { return "PyTorch, zip"; }

  StorageBytes read(const PthStorage& storage) const override {
    const auto entry = entries_.find(fmt::format("{}data/{}", prefix_, storage.key));
    if (entry == entries_.end()) {
      throw InputError(source_, fmt::format("storage {}", quoted_name(storage.key)),
                       "an entry of that name in the archive's data/", "none");
    }
    // The number of elements is below 2⁴⁸.
    const std::uint64_t size = storage.total * tensor_element_size(storage.type);
    if (entry->second.size != size) {
      throw InputError(entry->second.source, "size", fmt::format("{} bytes, as the pickle says", size),
                       fmt::format("{}", entry->second.size));
    }
    check_limit(entry->second);
    StorageBytes result;
    result.owned = read_zip_entry(archive_, entry->second);
    result.bytes = result.owned;
    result.big_endian = big_endian_;
    return result;
  }

 private:
  void list_entries() {
    for (ZipEntry& entry : archive_.entries()) {
      const auto [place, fresh] = entries_.try_emplace(entry.name, std::move(entry));
      if (!fresh) throw InputError(source_, "entries", "every name once", quoted_name(place->first) + " twice");
    }
  }

  void find_pickle() {
    std::vector<std::string> found;
    for (const auto& [name, entry] : entries_) {
      const std::size_t slash = name.find('/');
      if (slash != name.npos && name.substr(slash + 1) == kPickle) found.push_back(name);
    }
    if (found.size() != 1) {
      throw InputError(source_, "entries", "one '…/data.pkl', as torch.save writes it",
                       found.empty() ? "none" : fmt::format("{}", found.size()));
    }
    prefix_ = found[0].substr(0, found[0].size() - kPickle.size());
    if (entries_.contains(prefix_ + "constants.pkl")) {
      throw InputError(
          source_, "", "a state_dict",
          "a TorchScript program; in Python, torch.save(torch.jit.load(…).state_dict(), 'new.pth') makes a "
          "file that can be read");
    }
  }

  void read_byte_order() {
    if (!entries_.contains(prefix_ + "byteorder")) return;
    const std::vector<std::byte> bytes = read_small("byteorder", 16);
    const std::string_view order = trim({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (order != "little" && order != "big") {
      throw InputError(source_, "byteorder", "'little' or 'big'", quoted_name(order));
    }
    big_endian_ = order == "big";
  }

  std::vector<std::byte> read_small(std::string_view name, std::uint64_t most) const {
    const ZipEntry& entry = entries_.at(prefix_ + std::string(name));
    if (entry.size > most) {
      throw InputError(entry.source, "size", fmt::format("at most {} bytes", most), fmt::format("{}", entry.size));
    }
    check_limit(entry);
    return read_zip_entry(archive_, entry);
  }

  void check_limit(const ZipEntry& entry) const {
    if (entry.size <= max_bytes_) return;
    throw InputError(entry.source, "size", fmt::format("at most {} bytes (the limit for reading)", max_bytes_),
                     fmt::format("{}", entry.size));
  }

  std::string source_;
  std::uint64_t max_bytes_;
  ZipArchive archive_;
  std::map<std::string, ZipEntry> entries_;
  std::string prefix_;
  bool big_endian_ = false;
  std::vector<std::byte> pickle_;
};

}  // namespace

bool is_pth_zip(std::span<const std::byte> file) {
  return file.size() >= 4 && file[0] == std::byte{'P'} && file[1] == std::byte{'K'};
}

std::unique_ptr<PthContainer> open_pth_zip(std::span<const std::byte> file, const std::string& source,
                                           std::uint64_t max_bytes) {
  return std::make_unique<PthZip>(file, source, max_bytes);
}

}  // namespace snapcube
