#include "io/rehearse.h"

#include <csignal>
#include <stdexcept>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

TEST(Rehearse, LeavesNoTraceOfWhatWentWell) {
  int calls = 0;
  rehearse("a.h5", "an HDF5 file", [&] { ++calls; });
  EXPECT_EQ(calls, 0);
  EXPECT_NO_THROW(
      rehearse("a.h5", "an HDF5 file", [] { throw std::runtime_error("seen when it is done in earnest"); }));
}

TEST(Rehearse, TurnsACrashIntoAnError) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM}) {
    EXPECT_EQ(error_of<InputError>([&] { rehearse("a.h5", "an HDF5 file", [&] { std::raise(signal); }); }),
              "a.h5: expected an HDF5 file, found a damaged file, on which its library crashes or does not end");
  }
}

}  // namespace
}  // namespace snapcube
