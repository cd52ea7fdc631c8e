#include "base/overlap.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace snapcube {
namespace {

TEST(Overlap, EveryPieceInOrderThroughAllSteps) {
  std::vector<int> items(3);
  std::vector<int> written;
  overlap(
      100, std::span(items), [](std::size_t i, int& item) { item = static_cast<int>(i); },
      [](std::size_t i, int& item) {
        EXPECT_EQ(item, static_cast<int>(i));
        item *= 2;
      },
      [&](std::size_t, int& item) { written.push_back(item); });
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  for (int& v : expected) v *= 2;
  EXPECT_EQ(written, expected);
}

/// While a piece is computed, the next is read and the last is written: each step waits until it has seen that.
TEST(Overlap, TheStepsRunAtTheSameTime) {
  std::vector<int> items(3);
  std::atomic<int> read = 0;
  std::atomic<bool> reading_while_computing = false;
  std::atomic<bool> computing_while_writing = false;
  std::atomic<int> computed = 0;
  const auto until = [](auto&& condition) {
    for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  };
  overlap(
      3, std::span(items), [&](std::size_t, int&) { ++read; },
      [&](std::size_t i, int&) {
        if (i == 0) reading_while_computing = until([&] { return read == 3; });
        ++computed;
      },
      [&](std::size_t i, int&) {
        if (i == 0) computing_while_writing = until([&] { return computed == 3; });
      });
  EXPECT_TRUE(reading_while_computing);
  EXPECT_TRUE(computing_while_writing);
}

TEST(Overlap, OnlyAsManyInMemoryAsThereAreItems) {
  std::vector<int> items(2);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  overlap(
      50, std::span(items),
      [&](std::size_t, int&) {
        const int now = ++inside;
        most = std::max(most.load(), now);
      },
      [](std::size_t, int&) {}, [&](std::size_t, int&) { --inside; });
  EXPECT_LE(most, 2);
}

TEST(Overlap, AnErrorInAnyStepEndsTheWorkAndGoesOn) {
  for (const int step : {0, 1, 2}) {
    std::vector<int> items(3);
    std::vector<std::size_t> written;
    std::vector<std::size_t> computed;
    const auto fail = [&](int here, std::size_t i) {
      if (here == step && i == 5) throw std::runtime_error("stop");
    };
    EXPECT_THROW(overlap(
                     20, std::span(items), [&](std::size_t i, int&) { fail(0, i); },
                     [&](std::size_t i, int&) {
                       fail(1, i);
                       computed.push_back(i);
                     },
                     [&](std::size_t i, int&) {
                       fail(2, i);
                       written.push_back(i);
                     }),
                 std::runtime_error);
    EXPECT_LT(computed.size(), 20u);
    // What was computed before the error is written, unless writing is what fails.
    if (step > 0) {
      EXPECT_EQ(written.size(), 5u);
    }
  }
}

TEST(Overlap, OneAndNone) {
  std::vector<int> items(1);
  const auto here = std::this_thread::get_id();
  int calls = 0;
  const auto step = [&](std::size_t, int&) {
    EXPECT_EQ(std::this_thread::get_id(), here);  // no threads for a single piece
    ++calls;
  };
  overlap(1, std::span(items), step, step, step);
  EXPECT_EQ(calls, 3);
  overlap(0, std::span(items), step, step, step);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace snapcube
