#pragma once
// A zip archive that is read, entry by entry. Whatever goes wrong is an InputError.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <zip.h>

namespace snapcube {

struct ZipEntry {
  std::uint64_t index = 0;
  std::string name;
  std::uint64_t size = 0;  ///< uncompressed, as the archive claims
  std::string source;      ///< "file.npz:name" for messages
};

/// Text for one of libzip's error codes.
std::string zip_error_text(int code);

class ZipArchive {
 public:
  /// `expected` is for messages: "a zip archive (.npz)".
  ZipArchive(const std::string& path, const std::string& expected, std::size_t max_entries);
  /// A file in memory; it must live as long as this.
  ZipArchive(std::span<const std::byte> file, const std::string& source, const std::string& expected,
             std::size_t max_entries);

  /// All entries, in the archive's order. Throws InputError for a name that leads outside ("/etc/x", "../x").
  std::vector<ZipEntry> entries() const;
  zip_t* handle() const { return archive_.get(); }

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  void check_count(std::size_t max_entries) const;

  std::string source_;
  std::unique_ptr<zip_t, Discard> archive_;
};

/// One entry, uncompressed as far as it is asked for.
class ZipEntryReader {
 public:
  /// Refuses an entry that is encrypted, or that claims more than its compressed bytes can hold.
  ZipEntryReader(const ZipArchive& archive, const ZipEntry& entry);

  /// Fills the span, or less at the end of the entry.
  std::size_t read(std::span<std::byte> bytes);
  /// Throws InputError unless the entry ends here, with the checksum that the archive states.
  void expect_end();

 private:
  struct Close {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };
  std::string source_;
  std::uint64_t size_;
  std::unique_ptr<zip_file_t, Close> file_;
};

/// The whole entry. The caller has checked its size.
std::vector<std::byte> read_zip_entry(const ZipArchive& archive, const ZipEntry& entry);

}  // namespace snapcube
