#include "samples/scene_cache.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <snapcube/error.h>

#include "samples/scenes.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::LogText;
using testing::TemporaryFolder;

constexpr int kBands = 2;

std::vector<std::uint16_t> numbers(std::size_t n, int first) {
  std::vector<std::uint16_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint16_t>(first + static_cast<int>(i));
  return values;
}

class SceneCacheTest : public ::testing::Test {
 protected:
  SceneCacheTest() {
    set_log_sink({});
    SceneCacheWriter writer(path_, kBands, 2);
    writer.add(1, "second", 3, 5, numbers(30, 100).data());
    writer.add(0, "first", 7, 1, numbers(14, 500).data());
    writer.commit("key");
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  std::unique_ptr<SceneStore> open(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return open_scene_cache(path_, "key", kBands);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "cache";
  std::string bytes_;
};

TEST_F(SceneCacheTest, GivesWhatWasWritten) {
  const auto store = open_scene_cache(path_, "key", kBands);
  ASSERT_TRUE(store);
  ASSERT_EQ(store->count(), 2u);
  EXPECT_EQ(store->bands(), 2);
  EXPECT_EQ(store->name(0), "first");
  EXPECT_EQ(store->height(0), 7);
  EXPECT_EQ(store->width(0), 1);
  EXPECT_EQ(store->name(1), "second");
  EXPECT_EQ(store->height(1), 3);
  EXPECT_EQ(store->width(1), 5);
  for (std::size_t i = 0; i < 14; ++i) EXPECT_EQ(store->values(0)[i], 500 + i);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(store->values(1)[i], 100 + i);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store->values(i)) % 64, 0u);
}

TEST_F(SceneCacheTest, OtherKeysAndBandsAreOtherCaches) {
  const LogText log;
  EXPECT_FALSE(open_scene_cache(path_, "another key", kBands));
  EXPECT_FALSE(open_scene_cache(path_, "key", kBands + 1));
  EXPECT_FALSE(open_scene_cache(folder_ / "none", "key", kBands));
  EXPECT_EQ(log.text(), path_ + ": was made for other scenes or wavelengths; making it again\n" + path_ +
                            ": was made for other scenes or wavelengths; making it again\n");
}

TEST_F(SceneCacheTest, NothingIsLeftOfACacheThatIsNotCommitted) {
  const TemporaryFolder other;
  {
    SceneCacheWriter writer(other / "cache", kBands, 1);
    writer.add(0, "only", 3, 5, numbers(30, 0).data());
  }
  EXPECT_TRUE(other.is_empty());
}

TEST_F(SceneCacheTest, EveryBrokenByteOfHeaderAndTableIsNoticed) {
  constexpr std::size_t kHeaderUsed = 48;
  std::uint64_t table = 0;
  std::memcpy(&table, bytes_.data() + 24, sizeof table);
  ASSERT_LT(table, bytes_.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i >= kHeaderUsed && i < table) continue;
    std::string broken = bytes_;
    broken[i] = static_cast<char>(broken[i] ^ 0x41);
    if (i < 8) {
      EXPECT_THROW(open(broken), InputError) << i;
    } else {
      EXPECT_FALSE(open(broken)) << i;
    }
  }
  EXPECT_TRUE(open(bytes_));
}

TEST_F(SceneCacheTest, ATableThatLiesIsNoticed) {
  std::uint64_t table = 0;
  std::memcpy(&table, bytes_.data() + 24, sizeof table);
  // The entry of scene 0 follows the key: place (8 bytes), height, width, length of the name (4 each).
  const std::size_t entry = table + 8 + 3;
  const auto lying = [&](std::size_t at, auto value) {
    std::string bytes = bytes_;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (std::size_t i = table; i < bytes.size(); ++i)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001B3ull;
    std::memcpy(bytes.data() + 32, &hash, sizeof hash);
    return bytes;
  };
  EXPECT_TRUE(open(lying(entry + 8, std::uint32_t{7})));  // the truth
  EXPECT_TRUE(open(lying(entry, std::uint64_t{64})));     // inside, though another scene's
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{65}, table + 64, ~std::uint64_t{63}, table - table % 64}) {
    EXPECT_FALSE(open(lying(entry, offset))) << offset;
  }
  for (const std::uint32_t size : {0u, 1000u, 1u << 24, ~0u}) {
    EXPECT_FALSE(open(lying(entry + 8, size))) << size;
    EXPECT_FALSE(open(lying(entry + 12, size))) << size;
  }
  for (const std::uint32_t length : {0u, 4u, 6u, ~0u}) EXPECT_FALSE(open(lying(entry + 16, length))) << length;
  for (const std::uint64_t length : {std::uint64_t{1}, ~std::uint64_t{0}}) EXPECT_FALSE(open(lying(table, length)));
  for (const std::uint32_t count : {0u, 1u, 3u, ~0u}) EXPECT_FALSE(open(lying(44, count))) << count;
}

}  // namespace
}  // namespace snapcube
