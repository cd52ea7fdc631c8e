#include "commands/interrupt.h"

#include <csignal>

#include <snapcube/error.h>

namespace snapcube {

namespace {

volatile std::sig_atomic_t flag = 0;

void note(int signal) {
  flag = 1;
  std::signal(signal, SIG_DFL);  // the second one is not to be argued with
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

bool interrupted() { return flag != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace snapcube
