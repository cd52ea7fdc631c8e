#include "base/openmp_waiting.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace snapcube {
namespace {

TEST(Waiting, SeesThatSomethingElseRuns) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
    }
  });
  // It is seen as soon as the system lets it run.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool seen = false;
  while (!seen && std::chrono::steady_clock::now() < end) seen = others_are_running();
  stop = true;
  other.join();
  EXPECT_TRUE(seen);
}

TEST(Waiting, IsLeftToWhoeverHasChosen) {
  ::unsetenv("GOMP_SPINCOUNT");
  ::setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_FALSE(let_waiting_threads_sleep());
  ::unsetenv("OMP_WAIT_POLICY");
  EXPECT_TRUE(let_waiting_threads_sleep());
  EXPECT_STREQ(std::getenv("GOMP_SPINCOUNT"), "1000");
  EXPECT_FALSE(let_waiting_threads_sleep());  // a program that is started anew is not started a third time
}

}  // namespace
}  // namespace snapcube
