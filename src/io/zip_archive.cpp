#include "io/zip_archive.h"

#include <algorithm>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

zip_stat_t status_of(zip_t* archive, std::uint64_t index, const std::string& source) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) != 0) {
    throw InputError(source, fmt::format("entry {}", index), "its description", zip_strerror(archive));
  }
  return status;
}

/// Nothing is unpacked, so such a name could do no harm; no program that saves arrays writes one.
bool leads_outside(std::string_view name) {
  if (name.starts_with('/') || name.find('\\') != name.npos) return true;
  const std::vector<std::string> parts = split(name, '/');
  return std::ranges::count(parts, "..") > 0;
}

}  // namespace

std::string zip_error_text(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return message;
}

ZipArchive::ZipArchive(const std::string& path, const std::string& expected, std::size_t max_entries) : source_(path) {
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive_) throw InputError(path, "", expected, zip_error_text(code));
  check_count(max_entries);
}

ZipArchive::ZipArchive(std::span<const std::byte> file, const std::string& source, const std::string& expected,
                       std::size_t max_entries)
    : source_(source) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* bytes = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  if (bytes) {
    archive_.reset(zip_open_from_source(bytes, ZIP_RDONLY, &error));
    if (!archive_) zip_source_free(bytes);  // an open archive owns it
  }
  const int code = zip_error_code_zip(&error);
  zip_error_fini(&error);
  if (!archive_) throw InputError(source, "", expected, zip_error_text(code));
  check_count(max_entries);
}

void ZipArchive::check_count(std::size_t max_entries) const {
  const auto count = static_cast<std::size_t>(zip_get_num_entries(archive_.get(), 0));
  if (count > max_entries) {
    throw InputError(source_, "", fmt::format("at most {} entries", max_entries), fmt::format("{}", count));
  }
}

std::vector<ZipEntry> ZipArchive::entries() const {
  std::vector<ZipEntry> entries;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    const zip_stat_t status = status_of(archive_.get(), i, source_);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE;
    if ((status.valid & kNeeded) != kNeeded) continue;
    if (leads_outside(status.name)) {
      throw InputError(source_, "entries", "names inside the archive", quoted_name(status.name));
    }
    entries.push_back({i, status.name, status.size, fmt::format("{}:{}", source_, status.name)});
  }
  return entries;
}

ZipEntryReader::ZipEntryReader(const ZipArchive& archive, const ZipEntry& entry)
    : source_(entry.source), size_(entry.size) {
  const zip_stat_t status = status_of(archive.handle(), entry.index, source_);
  if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) && status.encryption_method != ZIP_EM_NONE) {
    throw InputError(source_, "", "an entry that is not encrypted", "an encrypted one");
  }
  constexpr zip_uint64_t kBestRatio = 1032;  // of deflate
  if ((status.valid & ZIP_STAT_COMP_SIZE) && entry.size / kBestRatio > status.comp_size + 64) {
    throw InputError(source_, "size", fmt::format("what {} compressed bytes can hold", status.comp_size),
                     fmt::format("{} bytes", entry.size));
  }
  file_.reset(zip_fopen_index(archive.handle(), entry.index, 0));
  if (!file_) throw InputError(source_, "", "an entry that can be read", zip_strerror(archive.handle()));
}

std::size_t ZipEntryReader::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const zip_int64_t got = zip_fread(file_.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0) throw InputError(source_, "", "sound compressed data", zip_file_strerror(file_.get()));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void ZipEntryReader::expect_end() {
  std::byte extra;
  // The read beyond the end also makes libzip verify the checksum.
  if (read({&extra, 1}) != 0) throw InputError(source_, "data", fmt::format("{} bytes", size_), "more");
}

std::vector<std::byte> read_zip_entry(const ZipArchive& archive, const ZipEntry& entry) {
  ZipEntryReader reader(archive, entry);
  std::vector<std::byte> bytes(entry.size);
  if (reader.read(bytes) != bytes.size()) {
    throw InputError(entry.source, "data", fmt::format("{} bytes", entry.size), "fewer");
  }
  reader.expect_end();
  return bytes;
}

}  // namespace snapcube
