#include "base/memory_size.h"

#include <gtest/gtest.h>

namespace snapcube {

TEST(MemorySize, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_bytes("512"), 512u);
  EXPECT_EQ(parse_bytes("3k"), 3072u);
  EXPECT_EQ(parse_bytes("800M"), 838'860'800u);
  EXPECT_EQ(parse_bytes("1.5 GiB"), 1'610'612'736u);
  EXPECT_EQ(parse_bytes("2TB"), 2'199'023'255'552u);
  EXPECT_EQ(parse_bytes("7b"), 7u);
}

TEST(MemorySize, ANumberAloneCountsInTheUnitAskedFor) {
  EXPECT_EQ(parse_bytes("0", kMegabyte), 0u);
  EXPECT_EQ(parse_bytes("1.5", kMegabyte), 1'500'000u);
  EXPECT_EQ(parse_bytes("1500B", kMegabyte), 1500u);
}

TEST(MemorySize, RefusesWhatIsNoSize) {
  for (const char* text : {"", "M", "-1", "-1M", "1X", "1MM", "1iM", "nan", "inf", "1e19", "2000000T", "1.2.3G"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

}  // namespace snapcube
