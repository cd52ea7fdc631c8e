#pragma once
// libtiff's handle with an owner, and its messages kept: they become part of our errors instead of
// being printed.

#include <cstdint>
#include <memory>
#include <string>
#include <tiffio.h>

namespace snapcube::io {

class TiffFile {
 public:
  /// mode as of TIFFOpen. libtiff allocates no more than max_bytes at once. Check handle() before
  /// use.
  TiffFile(const std::string& path, const char* mode, std::uint64_t max_bytes);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* handle() { return tiff_.get(); }
  /// Finishes writing; error() tells whether that went well.
  void close() { tiff_.reset(); }

  /// The first error since the file was opened, or empty.
  const std::string& error() const { return messages_->error; }
  /// The first warning since the last clear_warning().
  const std::string& warning() const { return messages_->warning; }
  void clear_warning() { messages_->warning.clear(); }

 private:
  struct Messages {
    std::string error;
    std::string warning;
  };
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  static int keep_error(TIFF*, void* messages, const char* module, const char* format, va_list);
  static int keep_warning(TIFF*, void* messages, const char* module, const char* format, va_list);

  std::unique_ptr<Messages> messages_;  // before tiff_: closing may still report
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace snapcube::io
