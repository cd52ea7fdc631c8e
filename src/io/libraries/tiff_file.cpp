#include "io/libraries/tiff_file.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace snapcube::io {

namespace {

/// The handlers' answer that nobody else need be told.
constexpr int kHandled = 1;

constexpr std::size_t kLongestMessage = 300;

/// Called by the library, which is C: nothing may be thrown, so the place has its memory already.
void keep(std::string& place, const char* format, va_list arguments) noexcept {
  if (!place.empty()) return;
  std::array<char, kLongestMessage> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  place = text.data();
}

}  // namespace

int TiffFile::keep_error(TIFF*, void* messages, const char*, const char* format, va_list arguments) {
  keep(static_cast<Messages*>(messages)->error, format, arguments);
  return kHandled;
}

int TiffFile::keep_warning(TIFF*, void* messages, const char*, const char* format, va_list arguments) {
  keep(static_cast<Messages*>(messages)->warning, format, arguments);
  return kHandled;
}

TiffFile::TiffFile(const std::string& path, const char* mode, std::uint64_t max_bytes)
    : messages_(std::make_unique<Messages>()) {
  messages_->error.reserve(kLongestMessage);
  messages_->warning.reserve(kLongestMessage);
  struct Free {
    void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
  };
  const std::unique_ptr<TIFFOpenOptions, Free> options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(std::min<std::uint64_t>(max_bytes, INT64_MAX)));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, messages_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_warning, messages_.get());
  tiff_.reset(TIFFOpenExt(path.c_str(), mode, options.get()));
}

}  // namespace snapcube::io
