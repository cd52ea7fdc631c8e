#include "base/process.h"
#include "commands/commands.h"

int main(int argc, char** argv) {
  snapcube::prepare_heap();
  return snapcube::run_program(argc, argv);
}
