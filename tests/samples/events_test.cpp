#include "samples/events.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32c, Masked) {
  const std::uint32_t crc = 0xE3069283u;
  EXPECT_EQ(masked_crc32c("123456789"), ((crc >> 15) | (crc << 17)) + 0xA282EAD8u);
}

// The file is made by tests/data/samples/make_events.py.
TEST(Events, EqualTheFileOfTheIndependentWriter) {
  constexpr double kTime = 1700000000.25;
  std::string png;
  for (int i = 0; i < 512; ++i) png += static_cast<char>(i);
  const std::string bytes =
      event_record(version_event(kTime)) + event_record(restart_event(kTime, 1001)) +
      event_record(scalars_event(kTime + 1, 1200, {{"loss", 0.0625f}, {"validation/psnr", 31.5f}})) +
      event_record(image_event(kTime + 2, 5'000'000'000, "scène 1", 48, 300, 3, png));
  EXPECT_EQ(bytes, file_bytes(testing::data_file("samples/events.tfevents")));
}

TEST(EventWriter, AppendsWholeRecords) {
  const testing::TemporaryFolder folder;
  const EventWriter first(folder.path());
  EventWriter writer(folder.path(), 41);
  EXPECT_NE(first.path(), writer.path());
  EXPECT_TRUE(writer.path().filename().string().starts_with("events.out.tfevents."));
  writer.scalars(41, {{"loss", 1.0f}});
  writer.image(41, "preview", 2, 3, 1, "png");
  const std::string bytes = file_bytes(writer.path().string());
  std::size_t at = 0;
  int records = 0;
  for (; at + 16 <= bytes.size(); ++records) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    ASSERT_LE(at + 16 + length, bytes.size());
    EXPECT_EQ(bytes.substr(at, 16 + length), event_record(bytes.substr(at + 12, length)));
    at += 16 + length;
  }
  EXPECT_EQ(records, 4);  // version, restart, scalars, image
  EXPECT_EQ(at, bytes.size());
}

TEST(EventWriter, FolderThatIsNotThere) {
  const testing::TemporaryFolder folder;
  const std::string message = testing::error_of<Error>([&] { EventWriter writer(folder / "none"); });
  EXPECT_NE(message.find("cannot be written: No such file"), std::string::npos) << message;
}

}  // namespace
}  // namespace snapcube
