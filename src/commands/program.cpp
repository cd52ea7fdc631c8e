#include "commands/commands.h"

namespace snapcube {
int run_program(int, char**) { return 0; }
}  // namespace snapcube
