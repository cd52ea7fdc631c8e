// Frames with their counts as they are, and files without a header.

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include <snapcube/detector.h>
#include <snapcube/error.h>

#include "base/text.h"
#include "io/choose.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/input_file.h"
#include "io/location.h"

namespace snapcube {

namespace {

const std::map<std::string, RawLayout::Type>& type_names() {
  static const std::map<std::string, RawLayout::Type> names = {{"u8", RawLayout::Type::u8},
                                                               {"u16le", RawLayout::Type::u16le},
                                                               {"u16be", RawLayout::Type::u16be},
                                                               {"mono10packed", RawLayout::Type::mono10packed},
                                                               {"mono12packed", RawLayout::Type::mono12packed}};
  return names;
}

std::uint64_t frames_of(const InputFile& file, const RawLayout& layout, const std::string& path) {
  const std::uint64_t bytes = layout.frame_bytes();
  if (file.size() == 0 || file.size() % bytes != 0) {
    throw InputError(path, "length",
                     fmt::format("whole frames of {} bytes ({} columns, {} rows)", bytes, layout.width, layout.height),
                     fmt::format("{} bytes", file.size()));
  }
  return file.size() / bytes;
}

}  // namespace

RawLayout RawLayout::parse(const std::string& text, const std::string& option) {
  const auto colon = text.find(':');
  const auto size = split(text.substr(0, colon), 'x');
  constexpr std::int64_t kMost = 100'000;
  const auto extent = [&](std::size_t i) -> int {
    const auto number = size.size() == 2 ? parse_int(size[i]) : std::nullopt;
    return number && *number <= kMost ? static_cast<int>(*number) : 0;
  };
  const RawLayout layout{extent(0), extent(1), Type::u16le};
  const auto type = colon == std::string::npos ? type_names().end() : type_names().find(lower(text.substr(colon + 1)));
  if (layout.width < 1 || layout.height < 1 || type == type_names().end()) {
    throw InputError(option, "",
                     "WIDTHxHEIGHT:TYPE such as 2448x2048:u16le (u8, u16le, u16be, mono10packed, mono12packed)",
                     fmt::format("'{}'", text));
  }
  return {layout.width, layout.height, type->second};
}

std::uint64_t RawLayout::frame_bytes() const {
  const std::uint64_t pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  switch (type) {
    case Type::u8:
      return pixels;
    case Type::u16le:
    case Type::u16be:
      return 2 * pixels;
    case Type::mono10packed:
    case Type::mono12packed:
      break;
  }
  return (pixels + 1) / 2 * 3;
}

double RawLayout::largest() const {
  switch (type) {
    case Type::u8:
      return 255;
    case Type::mono10packed:
      return 1023;
    case Type::mono12packed:
      return 4095;
    case Type::u16le:
    case Type::u16be:
      break;
  }
  return 65535;
}

void unpack_frame(const unsigned char* bytes, const RawLayout& layout, Image& counts) {
  if (counts.height() != layout.height || counts.width() != layout.width) counts = Image(layout.height, layout.width);
  const std::size_t n = counts.size();
  float* to = counts.data();
  switch (layout.type) {
    case RawLayout::Type::u8:
      for (std::size_t i = 0; i < n; ++i) to[i] = bytes[i];
      return;
    case RawLayout::Type::u16le:
      for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(bytes[2 * i] | bytes[2 * i + 1] << 8);
      return;
    case RawLayout::Type::u16be:
      for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
      return;
    case RawLayout::Type::mono10packed:
    case RawLayout::Type::mono12packed:
      break;
  }
  // GigE Vision: two pixels in three bytes; their upper eight bits in the first and the last, the rest in the middle,
  // the first pixel's in its low half. Of 10 bits two are in each half.
  const int low = layout.type == RawLayout::Type::mono12packed ? 4 : 2;
  const int mask = (1 << low) - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned char* group = bytes + i / 2 * 3;
    const int upper = i % 2 == 0 ? group[0] : group[2];
    const int rest = i % 2 == 0 ? group[1] : group[1] >> 4;
    to[i] = static_cast<float>(upper << low | (rest & mask));
  }
}

std::int64_t count_frames(const std::string& path, const RawLayout& layout) {
  const InputFile file(path);
  return static_cast<std::int64_t>(frames_of(file, layout, path));
}

RawImage read_raw(const std::string& path, const RawLayout& layout, std::int64_t index) {
  InputFile file(path);
  const std::uint64_t frames = frames_of(file, layout, path);
  if (index < 0 || static_cast<std::uint64_t>(index) >= frames) {
    throw InputError(path, "frame", fmt::format("0 … {}", frames - 1), std::to_string(index));
  }
  const std::uint64_t bytes = layout.frame_bytes();
  std::vector<unsigned char> buffer(bytes);
  file.read(static_cast<std::uint64_t>(index) * bytes, buffer.data(), bytes);
  RawImage raw{Image(layout.height, layout.width), true, layout.largest()};
  unpack_frame(buffer.data(), layout, raw.counts);
  return raw;
}

RawImage read_raw(const std::string& text, const ReadOptions& options) {
  const io::Location location = io::parse_location(text);
  const io::Format& format = io::format_for_reading(location.path);
  const std::string name =
      io::choose_array(format.describe(location.path, options), location, io::Meaning::measurement);
  const io::StoredArray array = format.load(location.path, name, options);
  RawImage raw;
  raw.integer = io::is_integer(array.type) && !array.logical && array.scale.value_or(1) == 1;
  if (raw.integer) raw.largest = io::largest_integer(array.type);
  raw.counts = io::to_image(array, raw.integer ? io::Meaning::counts : io::Meaning::measurement,
                            {location.path, name, location.index}, options);
  return raw;
}

std::int64_t count_frames(const std::string& text, const ReadOptions& options) {
  const io::Location location = io::parse_location(text);
  if (location.index) return 1;
  const FileInfo info = io::format_for_reading(location.path).describe(location.path, options);
  const std::string name = io::choose_array(info, location, io::Meaning::measurement);
  const auto array = std::ranges::find(info.arrays, name, &ArrayInfo::name);
  const std::vector<std::int64_t> shape = io::without_singletons(array->shape, 2);
  return shape.size() == 3 ? shape.front() : 1;
}

}  // namespace snapcube
