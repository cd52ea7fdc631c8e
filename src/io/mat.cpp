// MATLAB files. v5 is read by mat5.cpp and written by mat5_write.cpp; v7.3 is HDF5: libraries/mat73.cpp.

#include <fmt/format.h>
#include <string_view>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "io/companions.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/input_file.h"
#include "io/library_formats.h"
#include "io/mat5.h"
#include "io/mat5_write.h"
#include "io/mat_variables.h"
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

class MatFormat : public Format {
 public:
  FileInfo describe(const std::string& path, const ReadOptions& options) const override {
    if (version_of(path) == MatVersion::v73) return mat73_format().describe(path, options);
    const std::vector<std::byte> bytes = InputFile(path).rest(0, options.max_bytes);
    FileInfo info = describe_mat5(bytes, path);
    find_wavelengths(info, [&](const std::string& name) { return load_mat5(bytes, name, path, options.max_bytes); });
    return info;
  }

  StoredArray load(const std::string& path, const std::string& name, const ReadOptions& options) const override {
    if (version_of(path) == MatVersion::v73) return mat73_format().load(path, name, options);
    const std::vector<std::byte> bytes = InputFile(path).rest(0, options.max_bytes);
    StoredArray array = load_mat5(bytes, name, path, options.max_bytes);
    attach_companions(array, describe_mat5(bytes, path),
                      [&](const std::string& other) { return load_mat5(bytes, other, path, options.max_bytes); });
    return array;
  }

  void save(const SaveRequest& request, const std::string& path) const override {
    if (request.options.mat_v73) return mat73_format().save(request, path);
    const Serialised elements = serialise(request, ElementOrder::columns_first);
    constexpr std::size_t kMost = (std::size_t{1} << 31) - 4096;
    if (elements.bytes.size() > kMost) {
      throw InputError(path, "size", "less than 2 GiB in a v5 file (write v7.3)",
                       fmt::format("{} bytes", elements.bytes.size()));
    }
    warn_if_layout_is_misread(request, path);
    AtomicFile file(path);
    Mat5Writer writer;
    write_variables(writer, request, elements);
    file.write(writer.pieces());
    file.commit();
  }
};

}  // namespace

const Format& mat_format() {
  static const MatFormat format;
  return format;
}

}  // namespace snapcube::io
