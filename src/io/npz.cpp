// NumPy's .npz: a zip archive with one .npy for each array. Beside ours stand `wavelengths` and,
// for integers that reach beyond 1, `<variable>_scale`.

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string_view>
#include <zip.h>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/companions.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/npy.h"
#include "io/serialise.h"

namespace snapcube {

namespace {

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// More entries than this are no data for us.
constexpr zip_int64_t kMaxEntries = 10'000;

std::string message_of(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return message;
}

Archive open_archive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) throw InputError(path, "", "a zip archive (.npz)", message_of(code));
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  if (entries > kMaxEntries) {
    throw InputError(path, "", fmt::format("at most {} arrays", kMaxEntries), fmt::format("{}", entries));
  }
  return archive;
}

struct Entry {
  zip_uint64_t index = 0;
  std::string name;        ///< of the array: without ".npy"
  std::uint64_t size = 0;  ///< uncompressed, as the archive claims
  std::string source;      ///< "file.npz:name" for messages
};

/// The .npy entries; others are passed over.
std::vector<Entry> list_entries(zip_t* archive, const std::string& path) {
  std::vector<Entry> entries;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive, 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive, i, 0, &status) != 0) {
      throw InputError(path, fmt::format("entry {}", i), "its description", zip_strerror(archive));
    }
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE;
    if ((status.valid & kNeeded) != kNeeded) continue;
    std::string_view name = status.name;
    if (!name.ends_with(".npy")) continue;
    name.remove_suffix(4);
    constexpr zip_uint64_t kBestRatio = 1032;  // of deflate
    if ((status.valid & ZIP_STAT_COMP_SIZE) && status.size / kBestRatio > status.comp_size + 64) {
      throw InputError(fmt::format("{}:{}", path, name), "size",
                       fmt::format("what {} compressed bytes can hold", status.comp_size),
                       fmt::format("{} bytes", status.size));
    }
    Entry entry{i, std::string(name), status.size, fmt::format("{}:{}", path, name)};
    if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) && status.encryption_method != ZIP_EM_NONE) {
      throw InputError(entry.source, "", "an entry that is not encrypted", "an encrypted one");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// One entry, uncompressed as far as it is asked for.
class EntryReader {
 public:
  EntryReader(zip_t* archive, const Entry& entry)
      : source_(entry.source), file_(zip_fopen_index(archive, entry.index, 0)) {
    if (!file_) throw InputError(source_, "", "an entry that can be read", zip_strerror(archive));
  }

  /// Fills the span, or less at the end of the entry.
  std::size_t read(std::span<std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const zip_int64_t got = zip_fread(file_.get(), bytes.data() + done, bytes.size() - done);
      if (got < 0) throw InputError(source_, "", "sound compressed data", zip_file_strerror(file_.get()));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  std::string source_;
  std::unique_ptr<zip_file_t, CloseEntry> file_;
};

NpyHeader read_header(zip_t* archive, const Entry& entry) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(entry.size, kMaxNpyHeader));
  bytes.resize(EntryReader(archive, entry).read(bytes));
  return parse_npy_header(bytes, entry.source);
}

StoredArray load_entry(zip_t* archive, const Entry& entry, std::uint64_t max_bytes) {
  const NpyHeader header = read_header(archive, entry);
  const std::uint64_t expected = header.length + checked_npy_bytes(header, entry.source, max_bytes);
  if (entry.size != expected) {
    throw InputError(entry.source, "data", fmt::format("{} bytes", expected), fmt::format("{}", entry.size));
  }
  EntryReader reader(archive, entry);
  std::vector<std::byte> before(header.length);
  std::vector<std::byte> elements(expected - header.length);
  std::byte extra;
  // The read beyond the end also makes libzip verify the checksum.
  if (reader.read(before) != before.size() || reader.read(elements) != elements.size() ||
      reader.read({&extra, 1}) != 0) {
    throw InputError(entry.source, "data", fmt::format("{} bytes", expected), "fewer or more");
  }
  StoredArray array = npy_array(header, std::move(elements));
  array.name = entry.name;
  return array;
}

const Entry& find_entry(const std::vector<Entry>& entries, const std::string& name, const std::string& path) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found == entries.end()) throw InputError(path, "", fmt::format("an array '{}'", name), "none of that name");
  return *found;
}

FileInfo describe_entries(zip_t* archive, const std::vector<Entry>& entries, const std::string& path) {
  FileInfo info;
  info.path = path;
  info.format = "NumPy archive";
  for (const Entry& entry : entries) {
    const NpyHeader header = read_header(archive, entry);
    info.arrays.push_back({entry.name, header.shape, header.type_name, header.readable});
  }
  check_names(info);
  return info;
}

void add_entry(zip_t* archive, const std::string& name, const std::vector<std::byte>& bytes, const std::string& path) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t index = source ? zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) {
    const std::string message = zip_strerror(archive);
    zip_source_free(source);
    throw Error(fmt::format("{}: cannot write: {}", path, message));
  }
  const auto entry = static_cast<zip_uint64_t>(index);
  // Level 1: on floats with noise in their last digits, higher levels save less than 1 % more.
  // Values of 8-bit precision would shrink by another quarter at level 6, in four times the time.
  zip_set_file_compression(archive, entry, ZIP_CM_DEFLATE, 1);
  // The same values give the same bytes: 1980-01-01, the earliest date of a zip archive.
  zip_file_set_dostime(archive, entry, 0, (1 << 5) | 1, 0);
}

class NpzFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    const Archive archive = open_archive(path);
    const std::vector<Entry> entries = list_entries(archive.get(), path);
    FileInfo info = describe_entries(archive.get(), entries, path);
    find_wavelengths(info, [&](const std::string& name) {
      return load_entry(archive.get(), find_entry(entries, name, path), options.max_bytes);
    });
    return info;
  }

  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    const Archive archive = open_archive(path);
    const std::vector<Entry> entries = list_entries(archive.get(), path);
    const auto load_named = [&](const std::string& wanted) {
      return load_entry(archive.get(), find_entry(entries, wanted, path), options.max_bytes);
    };
    StoredArray array = load_named(name);
    attach_companions(array, describe_entries(archive.get(), entries, path), load_named);
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    warn_if_layout_is_misread(request, path);
    const Serialised elements = serialise(request, ElementOrder::rows_columns_bands);
    // The buffers must live until zip_close has written them.
    const std::vector<std::byte> values = npy_file(shape_with_bands_last(request), elements.type, elements.bytes);
    const std::vector<std::byte> wavelengths =
        npy_file({static_cast<std::int64_t>(request.wavelengths.size())}, ElementType::f64,
                 std::as_bytes(std::span(request.wavelengths)));
    const std::vector<std::byte> scale = npy_file({}, ElementType::f64, std::as_bytes(std::span(&elements.scale, 1)));

    AtomicFile file(path);
    int code = 0;
    Archive archive(zip_open(file.path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) throw Error(fmt::format("{}: cannot write: {}", path, message_of(code)));
    add_entry(archive.get(), request.variable, values, path);
    if (!request.wavelengths.empty()) add_entry(archive.get(), "wavelengths", wavelengths, path);
    if (elements.scale != 1) add_entry(archive.get(), scale_name(request.variable), scale, path);
    if (zip_close(archive.get()) != 0) {
      throw Error(fmt::format("{}: cannot write: {}", path, zip_strerror(archive.get())));
    }
    static_cast<void>(archive.release());
    file.commit();
  }
};

}  // namespace

const Format& npz_format() {
  static const NpzFormat format;
  return format;
}

}  // namespace snapcube
