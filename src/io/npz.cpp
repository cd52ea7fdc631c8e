// NumPy's .npz: a zip archive with one .npy for each array. Beside ours stand `wavelengths` and,
// for integers that reach beyond 1, `<variable>_scale`.

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <span>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/companions.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/npy.h"
#include "io/serialise.h"
#include "io/zip_archive.h"

namespace snapcube::io {

namespace {

/// More entries than this are no data for us.
constexpr std::size_t kMaxEntries = 10'000;

ZipArchive open_archive(const std::string& path) { return {path, "a zip archive (.npz)", kMaxEntries}; }

/// The .npy entries, without their extension; others are passed over.
std::vector<ZipEntry> arrays_of(const ZipArchive& archive, const std::string& path) {
  std::vector<ZipEntry> arrays;
  for (ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(".npy")) continue;
    entry.name.resize(entry.name.size() - 4);
    entry.source = fmt::format("{}:{}", path, entry.name);
    ZipEntryReader(archive, entry);  // refuses what cannot be read, before anything is
    arrays.push_back(std::move(entry));
  }
  return arrays;
}

NpyHeader read_header(const ZipArchive& archive, const ZipEntry& entry) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(entry.size, kMaxNpyHeader));
  bytes.resize(ZipEntryReader(archive, entry).read(bytes));
  return parse_npy_header(bytes, entry.source);
}

StoredArray load_entry(const ZipArchive& archive, const ZipEntry& entry, std::uint64_t max_bytes) {
  const NpyHeader header = read_header(archive, entry);
  const std::uint64_t expected = header.length + checked_npy_bytes(header, entry.source, max_bytes);
  if (entry.size != expected) {
    throw InputError(entry.source, "data", fmt::format("{} bytes", expected), fmt::format("{}", entry.size));
  }
  ZipEntryReader reader(archive, entry);
  std::vector<std::byte> before(header.length);
  std::vector<std::byte> elements(expected - header.length);
  if (reader.read(before) != before.size() || reader.read(elements) != elements.size()) {
    throw InputError(entry.source, "data", fmt::format("{} bytes", expected), "fewer");
  }
  reader.expect_end();
  StoredArray array = npy_array(header, std::move(elements));
  array.name = entry.name;
  return array;
}

const ZipEntry& find_entry(const std::vector<ZipEntry>& entries, const std::string& name, const std::string& path) {
  const auto found = std::ranges::find(entries, name, &ZipEntry::name);
  if (found == entries.end()) throw InputError(path, "", fmt::format("an array '{}'", name), "none of that name");
  return *found;
}

FileInfo describe_entries(const ZipArchive& archive, const std::vector<ZipEntry>& entries, const std::string& path) {
  FileInfo info;
  info.path = path;
  info.format = "NumPy archive";
  for (const ZipEntry& entry : entries) {
    const NpyHeader header = read_header(archive, entry);
    info.arrays.push_back({entry.name, header.shape, header.type_name, header.readable});
  }
  check_names(info);
  return info;
}

/// An archive that is being written; nothing of it is, unless it is closed and released.
struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using NewArchive = std::unique_ptr<zip_t, DiscardArchive>;

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
    const ZipArchive archive = open_archive(path);
    const std::vector<ZipEntry> entries = arrays_of(archive, path);
    FileInfo info = describe_entries(archive, entries, path);
    find_wavelengths(info, [&](const std::string& name) {
      return load_entry(archive, find_entry(entries, name, path), options.max_bytes);
    });
    return info;
  }

  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    const ZipArchive archive = open_archive(path);
    const std::vector<ZipEntry> entries = arrays_of(archive, path);
    const auto load_named = [&](const std::string& wanted) {
      return load_entry(archive, find_entry(entries, wanted, path), options.max_bytes);
    };
    StoredArray array = load_named(name);
    attach_companions(array, describe_entries(archive, entries, path), load_named);
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
    NewArchive archive(zip_open(file.path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) throw Error(fmt::format("{}: cannot write: {}", path, zip_error_text(code)));
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

}  // namespace snapcube::io
