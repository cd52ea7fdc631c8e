#include "io/library_formats.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>

#include <snapcube/error.h>

namespace snapcube::io {

namespace {

bool hdf5_may_clean_up = true;

const LibraryFormats& loaded() {
  const std::string path = (library_folder() / SNAPCUBE_FORMATS_LIBRARY).string();
  // Never closed: HDF5 and OpenSSL below it keep pointers to themselves.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? ::dlsym(library, "snapcube_library_formats") : nullptr;
  if (!entry) {
    const char* reason = ::dlerror();
    throw Error(fmt::format("HDF5, MATLAB v7.3 and TIFF files cannot be used here: {}", reason ? reason : path));
  }
  const LibraryFormats& formats = *reinterpret_cast<const LibraryFormats* (*)()>(entry)();
  if (!hdf5_may_clean_up) formats.keep_hdf5_from_cleaning_up();
  return formats;
}

/// Debian's HDF5 is for one thread at a time, and matio works on it.
std::mutex hdf5_in_use;

/// A format of HDF5's: whoever comes second waits.
class OneAtATime : public Format {
 public:
  explicit OneAtATime(const Format& format) : format_(format) {}
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    const std::lock_guard lock(hdf5_in_use);
    return format_.describe(path, options);
  }
  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    const std::lock_guard lock(hdf5_in_use);
    return format_.load(path, name, options);
  }
  void save(const SaveRequest& request, const std::string& path) const override {
    const std::lock_guard lock(hdf5_in_use);
    format_.save(request, path);
  }

 private:
  const Format& format_;
};

}  // namespace

std::filesystem::path library_folder() {
  Dl_info self{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&library_formats), &self) == 0 || !self.dli_fname) return {};
  const auto file = std::filesystem::canonical(self.dli_fname, error);
  return (error ? std::filesystem::path(self.dli_fname) : file).parent_path();
}

const LibraryFormats& library_formats() {
  static const LibraryFormats& formats = loaded();
  return formats;
}

void keep_hdf5_from_cleaning_up_at_exit() { hdf5_may_clean_up = false; }

const Format& hdf5_format() {
  static const OneAtATime format(library_formats().hdf5);
  return format;
}
const Format& mat73_format() {
  static const OneAtATime format(library_formats().mat73);
  return format;
}
const Format& tiff_format() { return library_formats().tiff; }

void write_hdf5_datasets(const std::vector<Hdf5Dataset>& datasets, const std::string& path) {
  const LibraryFormats& formats = library_formats();
  const std::lock_guard lock(hdf5_in_use);
  formats.write_hdf5_datasets(datasets, path);
}

}  // namespace snapcube::io
