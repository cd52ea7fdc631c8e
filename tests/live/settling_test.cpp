// When a file is complete, with times and stamps that are made up.

#include "live/settling.h"

#include "support.h"

namespace snapcube::live {
namespace {

using namespace std::chrono_literals;

struct Disk {
  std::map<std::string, FileStamp> files;
  std::optional<FileStamp> operator()(const std::string& name) const {
    const auto found = files.find(name);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }
};

class SettlingTest : public ::testing::Test {
 protected:
  std::vector<std::string> take(Clock::duration at) {
    std::vector<std::string> names;
    for (const auto& file : settling.take(start + at, disk)) names.push_back(file.name);
    return names;
  }
  using Names = std::vector<std::string>;
  const Clock::time_point start = Clock::now();
  Settling settling{{.closed = 10ms, .unclosed = 2s}};
  Disk disk;
};

TEST_F(SettlingTest, RenamedFilesAreCompleteAtOnceClosedOnesSoon) {
  disk.files = {{"closed", {5, 1}}, {"moved", {6, 1}}};
  settling.note("closed", Sign::closed, start);
  settling.note("moved", Sign::moved_in, start + 1ms);
  EXPECT_EQ(take(1ms), Names{"moved"});
  EXPECT_EQ(settling.next(), start + 10ms);
  EXPECT_EQ(take(9ms), Names{});
  EXPECT_EQ(take(10ms), Names{"closed"});
  EXPECT_TRUE(settling.empty());
  EXPECT_FALSE(settling.next());
}

TEST_F(SettlingTest, ASizeThatStillChangesStartsTheWaitAnew) {
  disk.files["a"] = {5, 1};
  settling.note("a", Sign::closed, start);
  EXPECT_EQ(take(0ms), Names{});
  disk.files["a"] = {9, 2};
  EXPECT_EQ(take(10ms), Names{});
  EXPECT_EQ(take(19ms), Names{});
  EXPECT_EQ(take(20ms), Names{"a"});
}

TEST_F(SettlingTest, AFileThatNobodyClosedWaitsLonger) {
  disk.files["a"] = {5, 1};
  settling.note("a", Sign::changed, start);
  EXPECT_EQ(take(0s), Names{});
  EXPECT_EQ(take(1999ms), Names{});
  settling.note("a", Sign::changed, start + 1999ms);
  EXPECT_EQ(take(2s), Names{});
  EXPECT_EQ(take(3999ms), Names{"a"});
}

TEST_F(SettlingTest, OneThatWasNotLookedAtMeanwhileIsLookedAtTwice) {
  disk.files["a"] = {5, 1};
  settling.note("a", Sign::changed, start);
  EXPECT_EQ(take(10s), Names{});
  EXPECT_EQ(take(12s), Names{"a"});
}

TEST_F(SettlingTest, TheOrderIsThatOfTheLastSigns) {
  disk.files = {{"a", {5, 1}}, {"b", {5, 1}}, {"c", {5, 1}}};
  settling.note("a", Sign::closed, start + 2ms);
  settling.note("b", Sign::closed, start);
  settling.note("c", Sign::closed, start + 1ms);
  take(3ms);
  EXPECT_EQ(take(20ms), (Names{"b", "c", "a"}));
}

TEST_F(SettlingTest, WhatIsGoneIsForgotten) {
  disk.files["a"] = {5, 1};
  settling.note("a", Sign::closed, start);
  settling.note("a", Sign::gone, start + 1ms);
  settling.note("b", Sign::closed, start + 1ms);
  EXPECT_EQ(take(20ms), Names{});
  EXPECT_TRUE(settling.empty());
}

}  // namespace
}  // namespace snapcube::live
