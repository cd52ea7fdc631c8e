// MATLAB v7.3: HDF5, read as such and written by matio.

#include <fmt/format.h>
#include <matio.h>
#include <memory>
#include <mutex>
#include <new>
#include <span>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/convert.h"
#include "io/libraries/formats.h"
#include "io/libraries/hdf5.h"
#include "io/libraries/hdf5_handle.h"
#include "io/mat_variables.h"

namespace snapcube::io {

namespace {

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

class Mat73Format : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    FileInfo info = describe_hdf5(path, options);
    info.format = "MATLAB v7.3";
    return info;
  }

  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    return load_hdf5(path, name, options);
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    const Serialised elements = serialise(request, ElementOrder::columns_first);
    warn_if_layout_is_misread(request, path);
    AtomicFile file(path);
    catch_matio_messages();
    matio_message().clear();
    const Hdf5Silence silence;
    Mat73Writer writer(path, file.path().string());
    write_variables(writer, request, elements);
    writer.close();
    file.commit();
  }
};

}  // namespace

const Format& libraries::mat73_format() {
  static const Mat73Format format;
  return format;
}

}  // namespace snapcube::io
