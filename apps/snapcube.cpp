#include "commands/commands.h"

int main(int argc, char** argv) { return snapcube::run_program(argc, argv); }
