// Frames that wait, and those that are dropped.

#include "live/backlog.h"

#include "live/rate.h"
#include "support.h"

namespace snapcube::live {
namespace {

using namespace std::chrono_literals;

Frame frame(const std::string& name, std::size_t bytes = 0) {
  Frame f{.name = name, .path = {}};
  f.bytes.resize(bytes);
  return f;
}

bool add(Backlog& backlog, Frame f) { return backlog.add(f, 1ms); }

TEST(Backlog, GivesFramesInOrder) {
  Backlog backlog(false, 100);
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(add(backlog, frame(name)));
  EXPECT_EQ(backlog.size(), 3u);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(backlog.take(1ms)->name, name);
  EXPECT_FALSE(backlog.take(1ms));
  EXPECT_FALSE(backlog.ended());
  backlog.end();
  EXPECT_TRUE(backlog.ended());
}

TEST(Backlog, TheLatestReplacesThoseThatWaitButNoMessages) {
  Backlog backlog(true, 100);
  add(backlog, frame("a", 60));
  Frame note = frame("note");
  note.problem = "no frame";
  add(backlog, note);
  add(backlog, frame("b", 60));
  add(backlog, frame("c", 60));
  EXPECT_EQ(backlog.size(), 1u);
  const auto dropped = backlog.take_dropped();
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[0].name, "a");
  EXPECT_EQ(dropped[1].name, "b");
  EXPECT_TRUE(dropped[1].bytes.empty());
  EXPECT_EQ(backlog.take(1ms)->name, "note");
  EXPECT_EQ(backlog.take(1ms)->name, "c");
  EXPECT_TRUE(backlog.take_dropped().empty());
}

TEST(Backlog, HoldsSoManyBytesAndAtLeastOneFrame) {
  Backlog backlog(false, 100);
  EXPECT_TRUE(add(backlog, frame("large", 500)));
  EXPECT_FALSE(add(backlog, frame("b", 40)));
  backlog.take(1ms);
  EXPECT_TRUE(add(backlog, frame("b", 40)));
  EXPECT_TRUE(add(backlog, frame("c", 60)));
  EXPECT_FALSE(add(backlog, frame("d", 1)));
}

TEST(Backlog, AnErrorComesAfterWhatWaits) {
  Backlog backlog(false, 100);
  add(backlog, frame("a"));
  backlog.end(std::make_exception_ptr(std::runtime_error("gone")));
  EXPECT_EQ(backlog.take(1ms)->name, "a");
  EXPECT_FALSE(backlog.ended());
  EXPECT_THROW(backlog.take(1ms), std::runtime_error);
  EXPECT_TRUE(backlog.ended());
}

TEST(Rate, CountsTheLastTenSeconds) {
  const Clock::time_point start = Clock::now();
  Rate rate;
  EXPECT_EQ(rate.per_second(start), 0);
  EXPECT_EQ(rate.latency(), 0);
  for (int i = 0; i < 9; ++i) rate.add(start + i * 250ms, start + i * 250ms + (i == 8 ? 900ms : 100ms));
  // Eight steps of 250 ms, the last of which took 800 ms longer.
  EXPECT_NEAR(rate.per_second(start + 2900ms), 8 / 2.8, 1e-9);
  EXPECT_NEAR(rate.latency(), 0.1, 1e-9);
  EXPECT_NEAR(rate.per_second(start + 6900ms), 8 / (2.8 + 4 - 0.35), 1e-9) << "a pause";
  EXPECT_EQ(rate.per_second(start + 20s), 0);
}

}  // namespace
}  // namespace snapcube::live
