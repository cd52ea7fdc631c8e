#include "io/mat5_write.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace snapcube::io {

static_assert(std::endian::native == std::endian::little);

namespace {

// Of MathWorks' "MAT-File Format": data types of elements, classes of arrays.
enum DataType : std::uint32_t {
  kInt8 = 1,
  kUint8 = 2,
  kUint16 = 4,
  kInt32 = 5,
  kUint32 = 6,
  kSingle = 7,
  kDouble = 9,
  kMatrix = 14
};
enum ArrayClass : std::uint32_t { kDoubleClass = 6, kSingleClass = 7, kUint8Class = 9, kUint16Class = 11 };

struct Kind {
  ArrayClass array;
  DataType data;
};

Kind kind_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return {kUint8Class, kUint8};
    case ElementType::u16:
      return {kUint16Class, kUint16};
    case ElementType::f32:
      return {kSingleClass, kSingle};
    default:
      return {kDoubleClass, kDouble};
  }
}

std::size_t padding(std::size_t size) { return (8 - size % 8) % 8; }

void append(std::vector<std::byte>& to, const void* bytes, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(bytes);
  to.insert(to.end(), from, from + size);
}

void append_tag(std::vector<std::byte>& to, DataType type, std::size_t size) {
  const std::uint32_t tag[2] = {type, static_cast<std::uint32_t>(size)};
  append(to, tag, sizeof tag);
}

/// A tag, what it announces, and zeros up to a multiple of 8 bytes.
void append_element(std::vector<std::byte>& to, DataType type, const void* bytes, std::size_t size) {
  append_tag(to, type, size);
  append(to, bytes, size);
  to.resize(to.size() + padding(size));
}

}  // namespace

// 116 bytes of text, 8 of zeros, the version 1.0 and a mark that shows the byte order. No date: the same values shall
// give the same bytes.
Mat5Writer::Mat5Writer() {
  constexpr std::string_view kText = "MATLAB 5.0 MAT-file, created by snapcube";
  std::vector<std::byte> header(116, std::byte{' '});
  std::memcpy(header.data(), kText.data(), kText.size());
  header.resize(124);
  const std::uint16_t end[2] = {0x0100, 0x4D49};
  append(header, end, sizeof end);
  add(std::move(header));
}

void Mat5Writer::write(const std::string& name, ElementType type, const std::vector<std::size_t>& shape,
                       std::span<const std::byte> elements) {
  const Kind kind = kind_of(type);
  std::vector<std::byte> head;
  const std::uint32_t flags[2] = {kind.array, 0};
  append_element(head, kUint32, flags, sizeof flags);
  const std::vector<std::int32_t> extents(shape.begin(), shape.end());
  append_element(head, kInt32, extents.data(), extents.size() * sizeof extents[0]);
  append_element(head, kInt8, name.data(), name.size());
  append_tag(head, kind.data, elements.size());

  std::vector<std::byte> matrix;
  append_tag(matrix, kMatrix, head.size() + elements.size() + padding(elements.size()));
  add(std::move(matrix));
  add(std::move(head));
  pieces_.push_back(elements);
  add(std::vector<std::byte>(padding(elements.size())));
}

void Mat5Writer::add(std::vector<std::byte> bytes) {
  own_.push_back(std::move(bytes));
  pieces_.emplace_back(own_.back());
}

}  // namespace snapcube::io
