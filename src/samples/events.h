#pragma once
// TensorBoard's event files: records with checksums, each a protobuf message `Event`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapcube {

/// CRC-32C (Castagnoli, reflected 0x82F63B78).
std::uint32_t crc32c(std::string_view bytes);
/// The form in which a record holds a checksum.
std::uint32_t masked_crc32c(std::string_view bytes);

/// length (8 bytes) | checksum of the length | data | checksum of the data; all little-endian.
std::string event_record(std::string_view data);

/// One message `Event`; wall_time in seconds since 1970.
std::string version_event(double wall_time);
/// Makes TensorBoard forget what it knows of this step and later ones: a resumed run repeats them.
std::string restart_event(double wall_time, std::int64_t step);
using Scalars = std::vector<std::pair<std::string, float>>;
std::string scalars_event(double wall_time, std::int64_t step, const Scalars& scalars);
std::string image_event(double wall_time, std::int64_t step, std::string_view tag, int height, int width, int channels,
                        std::string_view png);

/// Appends to a file of its own, events.out.tfevents.*; a call has handed its event to the system when it returns.
class EventWriter {
 public:
  /// `next_step`: the first step that a resumed run will do.
  explicit EventWriter(const std::filesystem::path& folder, std::optional<std::int64_t> next_step = std::nullopt);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void scalars(std::int64_t step, const Scalars& values);
  /// `png`: the bytes of a PNG file, of 1 (grey), 3 (RGB) or 4 channels.
  void image(std::int64_t step, std::string_view tag, int height, int width, int channels, std::string_view png);
  const std::filesystem::path& path() const { return path_; }

 private:
  void append(std::string_view event);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace snapcube
