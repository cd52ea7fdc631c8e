#include "commands/training/training.h"

int main(int argc, char** argv) { return snapcube::run_training_program(argc, argv); }
