#include "base/openmp_waiting.h"

#include <cstdlib>
#include <fstream>

namespace snapcube {

bool others_are_running() {
  // "0.42 0.30 0.21 2/345 6789": means over 1, 5 and 15 minutes, running/all threads of the system, the last process.
  std::ifstream file("/proc/loadavg");
  double mean = 0;
  int running = 0;
  for (int i = 0; i < 3; ++i) file >> mean;
  file >> running;
  return file && running > 1;  // one is this program
}

bool let_waiting_threads_sleep() {
  constexpr const char* kSpins = "1000";
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return false;
  return ::setenv("GOMP_SPINCOUNT", kSpins, 1) == 0;
}

}  // namespace snapcube
