#include "base/parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace snapcube {
namespace {

TEST(ParallelFor, CallsEveryIndexOnce) {
  for (const int n : {0, 1, 13, 127}) {
    std::vector<int> calls(n);
    parallel_for(n, [&](std::int64_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(n, 1));
  }
}

TEST(ParallelFor, RelaysTheErrorOfTheLowestIndex) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::atomic<int> calls = 0;
    try {
      parallel_for(100, [&](std::int64_t i) {
        ++calls;
        if (i % 30 == 17) throw std::runtime_error(std::to_string(i));
      });
      ADD_FAILURE() << "no error was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "17");
    }
    EXPECT_EQ(calls, 100);
  }
}

TEST(ParallelFor, RelaysWhatMakingScratchThrows) {
  const auto make = []() -> int { throw std::bad_alloc(); };
  EXPECT_THROW(parallel_for(5, make, [](std::int64_t, int&) {}), std::bad_alloc);
}

TEST(ParallelFor, KeepsOneScratchForEachThread) {
  std::atomic<int> made = 0;
  std::atomic<int> sum = 0;
  const auto make = [&] { return ++made; };
  parallel_for(1000, make, [&](std::int64_t, int& mine) { sum += mine > 0 ? 1 : 0; });
  EXPECT_EQ(sum, 1000);
  EXPECT_GE(made, 1);
  EXPECT_LT(made, 1000);
}

}  // namespace
}  // namespace snapcube
