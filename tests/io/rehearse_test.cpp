#include "io/rehearse.h"

#include <csignal>
#include <stdexcept>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

TEST(Rehearse, LeavesNoTraceOfWhatWentWell) {
  int calls = 0;
  rehearse("a.h5", "an HDF5 file", kPlenty, [&] { ++calls; });
  EXPECT_EQ(calls, 0);
  EXPECT_NO_THROW(
      rehearse("a.h5", "an HDF5 file", kPlenty, [] { throw std::runtime_error("seen when it is done in earnest"); }));
}

TEST(Rehearse, TurnsACrashIntoAnError) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM}) {
    EXPECT_EQ(error_of<InputError>([&] { rehearse("a.h5", "an HDF5 file", kPlenty, [&] { std::raise(signal); }); }),
              "a.h5: expected an HDF5 file, found a damaged file that makes the library crash or hang");
  }
}

TEST(Rehearse, PassesARefusalOn) {
  EXPECT_EQ(error_of<InputError>(
                [] { rehearse("a.h5", "an HDF5 file", kPlenty, [] { throw InputError("a.h5", "size", "4", "5"); }); }),
            "a.h5: size: expected 4, found 5");
}

TEST(Rehearse, MemoryIsLimited) {
  // Held by malloc, as a library's is; a refusal follows from the memory that it does not get.
  const auto take = [](std::size_t bytes) {
    return [bytes] {
      void* block = std::malloc(bytes);
      const bool got = block != nullptr;
      std::free(block);
      if (!got) throw InputError("no memory");
    };
  };
  EXPECT_NO_THROW(rehearse("a.h5", "an HDF5 file", kPlenty, take(std::size_t{64} << 20)));
  EXPECT_EQ(error_of<InputError>([&] { rehearse("a.h5", "an HDF5 file", 32 << 20, take(std::size_t{64} << 20)); }),
            "no memory");
  EXPECT_EQ(error_of<InputError>([] {
              rehearse("a.h5", "an HDF5 file", 32 << 20, [] { std::vector<char> block(std::size_t{64} << 20); });
            }),
            "a.h5: expected at most 33554432 bytes (the limit for reading), found more");
}

}  // namespace
}  // namespace snapcube
