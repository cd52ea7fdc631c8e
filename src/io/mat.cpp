// MATLAB files. v5 is read by mat5.cpp, v7.3 is HDF5 and read as such; matio writes both. Beside a
// cube stand `wavelengths` (1 × bands) and, for integers that reach beyond 1, `<variable>_scale`.

#include <fmt/format.h>
#include <matio.h>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/companions.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/hdf5.h"
#include "io/hdf5_handle.h"
#include "io/input_file.h"
#include "io/mat5.h"
#include "io/mat5_write.h"
#include "io/serialise.h"

namespace snapcube::io {

namespace {

enum class MatVersion { v5, v73 };

MatVersion version_of(const std::string& path) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  const std::vector<std::byte> bytes = InputFile(path).first(512 + kHdf5.size());
  if (is_mat5(bytes)) return MatVersion::v5;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // MATLAB puts 512 bytes of its own before the HDF5 signature; other writers none.
  if (text.starts_with(kHdf5) || (text.size() > 512 && text.substr(512).starts_with(kHdf5))) return MatVersion::v73;
  const char* found = "something else";
  if (text.empty()) found = "an empty file";
  if (text.starts_with("# Created by Octave")) found = "Octave's text format (save it with -v7)";
  throw InputError(path, "", "a MATLAB file, v5 or v7.3", found);
}

FileInfo describe_mat5(const std::vector<std::byte>& bytes, const std::string& path) {
  FileInfo info;
  info.path = path;
  info.format = "MATLAB v5";
  info.arrays = list_mat5(bytes, path);
  check_names(info);
  return info;
}

std::string& matio_message() {
  static thread_local std::string message;
  return message;
}

/// matio prints what goes wrong unless it is told where else to put it.
void catch_matio_messages() {
  static std::once_flag once;
  std::call_once(once, [] {
    Mat_LogInitFunc("snapcube", [](int, char* message) noexcept {
      try {  // no exception may pass through the library, which is C
        matio_message() = message ? message : "";
      } catch (const std::bad_alloc&) {
        matio_message().clear();
      }
    });
  });
}

/// v7.3, by matio.
class Mat73Writer {
 public:
  Mat73Writer(const std::string& path, const std::string& temporary) : path_(path) {
    // A header of our own: matio's tells the date, and the same values shall give the same bytes.
    file_.reset(Mat_CreateVer(temporary.c_str(), "MATLAB 7.3 MAT-file, created by snapcube", MAT_FT_MAT73));
    if (!file_) fail();
  }

  void write(const std::string& name, ElementType type, std::vector<std::size_t> shape,
             std::span<const std::byte> elements) {
    const auto [matlab_class, matlab_type] = matlab(type);
    const std::unique_ptr<matvar_t, decltype(&Mat_VarFree)> variable(
        Mat_VarCreate(name.c_str(), matlab_class, matlab_type, static_cast<int>(shape.size()), shape.data(),
                      const_cast<std::byte*>(elements.data()), MAT_F_DONT_COPY_DATA),
        Mat_VarFree);
    if (!variable || Mat_VarWrite(file_.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) fail();
  }

  void close() {
    if (Mat_Close(file_.release()) != 0) fail();
  }

 private:
  struct Close {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };

  [[noreturn]] void fail() const {
    const std::string& message = matio_message();
    throw Error(fmt::format("{}: cannot write: {}", path_, message.empty() ? "matio failed" : message));
  }

  static std::pair<matio_classes, matio_types> matlab(ElementType type) {
    switch (type) {
      case ElementType::u8:
        return {MAT_C_UINT8, MAT_T_UINT8};
      case ElementType::u16:
        return {MAT_C_UINT16, MAT_T_UINT16};
      case ElementType::f32:
        return {MAT_C_SINGLE, MAT_T_SINGLE};
      default:
        return {MAT_C_DOUBLE, MAT_T_DOUBLE};
    }
  }

  std::string path_;
  std::unique_ptr<mat_t, Close> file_;
};

class MatFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    if (version_of(path) == MatVersion::v73) {
      FileInfo info = describe_hdf5(path, options);
      info.format = "MATLAB v7.3";
      return info;
    }
    const std::vector<std::byte> bytes = InputFile(path).rest(0, options.max_bytes);
    FileInfo info = describe_mat5(bytes, path);
    find_wavelengths(info, [&](const std::string& name) { return load_mat5(bytes, name, path, options.max_bytes); });
    return info;
  }

  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    if (version_of(path) == MatVersion::v73) return load_hdf5(path, name, options);
    const std::vector<std::byte> bytes = InputFile(path).rest(0, options.max_bytes);
    StoredArray array = load_mat5(bytes, name, path, options.max_bytes);
    attach_companions(array, describe_mat5(bytes, path),
                      [&](const std::string& other) { return load_mat5(bytes, other, path, options.max_bytes); });
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    const Serialised elements = serialise(request, ElementOrder::columns_first);
    constexpr std::size_t kMost = (std::size_t{1} << 31) - 4096;
    if (!request.options.mat_v73 && elements.bytes.size() > kMost) {
      throw InputError(path, "size", "less than 2 GiB in a v5 file (write v7.3)",
                       fmt::format("{} bytes", elements.bytes.size()));
    }
    warn_if_layout_is_misread(request, path);
    AtomicFile file(path);
    const auto write_all = [&](auto& writer) {
      const std::vector<std::int64_t> extents = shape_with_bands_last(request);
      writer.write(request.variable, elements.type, {extents.begin(), extents.end()}, elements.bytes);
      if (!request.wavelengths.empty()) {
        writer.write("wavelengths", ElementType::f64, {1, request.wavelengths.size()},
                     std::as_bytes(std::span(request.wavelengths)));
      }
      if (elements.scale != 1) {
        writer.write(scale_name(request.variable), ElementType::f64, {1, 1},
                     std::as_bytes(std::span(&elements.scale, 1)));
      }
    };
    if (request.options.mat_v73) {
      catch_matio_messages();
      matio_message().clear();
      const Hdf5Silence silence;
      Mat73Writer writer(path, file.path().string());
      write_all(writer);
      writer.close();
    } else {
      Mat5Writer writer;
      write_all(writer);
      file.write(writer.pieces());
    }
    file.commit();
  }
};

}  // namespace

const Format& mat_format() {
  static const MatFormat format;
  return format;
}

}  // namespace snapcube::io
