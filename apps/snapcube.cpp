#include <unistd.h>

#include "base/openmp_waiting.h"
#include "base/process.h"
#include "commands/commands.h"

int main(int argc, char** argv) {
  // Starting anew takes 20 ms, which only a busy machine gives back.
  if (snapcube::others_are_running() && snapcube::let_waiting_threads_sleep()) ::execv("/proc/self/exe", argv);
  snapcube::prepare_heap();
  return snapcube::run_program(argc, argv);
}
