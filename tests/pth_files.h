#pragma once
// PyTorch files, byte by byte: sound ones, and ones that lie.

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"  // GCC 12 sees an overlap in "text" + std::string() (its bug 105651)
#endif

namespace snapcube::testing {

/// The lowest byte first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string float_bytes(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

inline std::uint32_t checksum(const std::string& data) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

inline std::string deflated(const std::string& data) {
  std::string out(::compressBound(data.size()), '\0');
  uLongf length = out.size();
  ::compress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(data.data()), data.size());
  out.resize(length);
  return out;
}

/// The stream alone, as archives have it: without zlib's head and tail.
inline std::string deflated_raw(const std::string& data) {
  const std::string stream = deflated(data);
  return stream.substr(2, stream.size() - 6);
}

namespace pickled {

inline std::string text(std::string_view value) { return "X" + little_endian(value.size(), 4) + std::string(value); }
inline std::string integer(std::int64_t value) {
  return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value), 8);
}
inline std::string global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
inline std::string integers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  for (const std::int64_t value : values) items.push_back(integer(value));
  return tuple(items);
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "}(";
  for (const auto& [key, value] : items) all += text(key) + value;
  return all + "u";
}
inline std::string call(std::string_view module, std::string_view name, const std::vector<std::string>& arguments) {
  return global(module, name) + tuple(arguments) + "R";
}
inline std::string storage(std::string_view key, std::int64_t count, std::string_view type = "FloatStorage") {
  return tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(count)}) + "Q";
}
inline std::string tensor(const std::string& of, std::int64_t offset, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& stride) {
  return call("torch._utils", "_rebuild_tensor_v2",
              {of, integer(offset), integers(shape), integers(stride), "\x89", call("collections", "OrderedDict", {})});
}
inline std::string whole(const std::string& body) { return "\x80\x02" + body + "."; }

}  // namespace pickled

/// An entry of a zip archive. What is not given is as it should be.
struct ZipPart {
  std::string name;
  std::string data;  ///< as it lies in the archive
  std::optional<std::uint32_t> size = {};
  std::optional<std::uint32_t> checksum = {};
  int method = 0;  ///< 8: deflate
  int flags = 0;   ///< 1: encrypted
  std::optional<std::uint32_t> offset = {};
};

inline std::string zip_file(const std::vector<ZipPart>& parts) {
  std::string file;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::string facts = little_endian(20, 2) + little_endian(part.flags, 2) + little_endian(part.method, 2) +
                              little_endian(0x00210000, 4) +
                              little_endian(part.checksum.value_or(checksum(part.data)), 4) +
                              little_endian(part.data.size(), 4) +
                              little_endian(part.size.value_or(static_cast<std::uint32_t>(part.data.size())), 4) +
                              little_endian(part.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + facts + std::string(10, '\0') +
                 little_endian(part.offset.value_or(static_cast<std::uint32_t>(file.size())), 4) + part.name;
    file += "PK\x03\x04" + facts + part.name + part.data;
  }
  const std::size_t start = file.size();
  return file + directory + "PK\x05\x06" + std::string(4, '\0') + little_endian(parts.size(), 2) +
         little_endian(parts.size(), 2) + little_endian(directory.size(), 4) + little_endian(start, 4) +
         little_endian(0, 2);
}

using Storages = std::vector<std::pair<std::string, std::string>>;  ///< key, elements

/// torch's zip format around the body of a pickle.
inline std::string pth_zip(const std::string& body, const Storages& storages, std::vector<ZipPart> others = {}) {
  std::vector<ZipPart> parts = {{"archive/data.pkl", pickled::whole(body)}};
  for (const auto& [key, bytes] : storages) parts.push_back({"archive/data/" + key, bytes});
  for (ZipPart& part : others) parts.push_back(std::move(part));
  return zip_file(parts);
}

inline std::string legacy_start(std::string_view magic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19",
                                int version = 1001) {
  return pickled::whole("\x8a" + little_endian(magic.size(), 1) + std::string(magic)) +
         pickled::whole("M" + little_endian(static_cast<std::uint64_t>(version), 2)) + pickled::whole("}");
}

/// torch's older format; the body's persistent ids may lack the view.
inline std::string pth_legacy(const std::string& body, const std::vector<std::string>& keys, const std::string& data) {
  std::string list = "](";
  for (const std::string& key : keys) list += pickled::text(key);
  return legacy_start() + pickled::whole(body) + pickled::whole(list + "e") + data;
}

}  // namespace snapcube::testing
