#include "samples/events.h"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "samples/append_file.h"

namespace snapcube {

namespace {

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0u);
    table[i] = crc;
  }
  return table;
}();

template <typename Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

/// A protobuf message under construction. Fields that have their default value, 0 or "", may be left out; here they
/// are written.
class Message {
 public:
  Message& integer(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& fixed(int field, double value) {
    key(field, 1);
    bytes_ += little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Message& fixed(int field, float value) {
    key(field, 5);
    bytes_ += little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }
  const std::string& text() const { return bytes_; }

 private:
  void key(int field, unsigned wire_type) { varint(static_cast<std::uint64_t>(field) << 3 | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Numbers of the fields in TensorFlow's event.proto and summary.proto.
namespace field {
constexpr int kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5, kEventSessionLog = 7;
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1, kValueSimple = 2, kValueImage = 4;
constexpr int kImageHeight = 1, kImageWidth = 2, kImageColorspace = 3, kImageEncoded = 4;
constexpr int kSessionStatus = 1;
}  // namespace field
constexpr int kSessionStart = 1;

Message event(double wall_time, std::int64_t step) {
  return Message().fixed(field::kEventWallTime, wall_time).integer(field::kEventStep, step);
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// TensorBoard reads the files of a folder in the order of their names: the time comes first.
std::string file_name() {
  static std::atomic<int> count = 0;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '-';
  return fmt::format("events.out.tfevents.{:010d}.{}.{}.{}", static_cast<std::int64_t>(now()), host.data(), ::getpid(),
                     count++);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u; }

std::string event_record(std::string_view data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  std::string record = length + little_endian(masked_crc32c(length));
  record += data;
  return record + little_endian(masked_crc32c(data));
}

std::string version_event(double wall_time) {
  return Message().fixed(field::kEventWallTime, wall_time).bytes(field::kEventFileVersion, "brain.Event:2").text();
}

std::string restart_event(double wall_time, std::int64_t step) {
  return event(wall_time, step)
      .message(field::kEventSessionLog, Message().integer(field::kSessionStatus, kSessionStart))
      .text();
}

std::string scalars_event(double wall_time, std::int64_t step, const Scalars& scalars) {
  Message summary;
  for (const auto& [tag, value] : scalars) {
    summary.message(field::kSummaryValue, Message().bytes(field::kValueTag, tag).fixed(field::kValueSimple, value));
  }
  return event(wall_time, step).message(field::kEventSummary, summary).text();
}

std::string image_event(double wall_time, std::int64_t step, std::string_view tag, int height, int width, int channels,
                        std::string_view png) {
  const Message image = Message()
                            .integer(field::kImageHeight, height)
                            .integer(field::kImageWidth, width)
                            .integer(field::kImageColorspace, channels)
                            .bytes(field::kImageEncoded, png);
  const Message value = Message().bytes(field::kValueTag, tag).message(field::kValueImage, image);
  return event(wall_time, step).message(field::kEventSummary, Message().message(field::kSummaryValue, value)).text();
}

EventWriter::EventWriter(const std::filesystem::path& folder, std::optional<std::int64_t> next_step)
    : path_(folder / file_name()), file_(open_for_appending(path_)) {
  append(version_event(now()));
  if (next_step) append(restart_event(now(), *next_step));
}

EventWriter::~EventWriter() { ::close(file_); }

void EventWriter::scalars(std::int64_t step, const Scalars& values) { append(scalars_event(now(), step, values)); }

void EventWriter::image(std::int64_t step, std::string_view tag, int height, int width, int channels,
                        std::string_view png) {
  append(image_event(now(), step, tag, height, width, channels, png));
}

void EventWriter::append(std::string_view event) { append_bytes(file_, event_record(event), path_); }

}  // namespace snapcube
