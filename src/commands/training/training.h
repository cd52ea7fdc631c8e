#pragma once
// The commands of snapcube-train, the program that has libtorch.

#include "samples/config.h"

namespace CLI {
class App;
}

namespace snapcube {

/// `snapcube-train` with its options and subcommands. Returns the exit code.
int run_training_program(int argc, char** argv);

/// `bench-reference`: the reference network for `snapcube bench --against torch`, which talks to it by lines.
void add_bench_reference(CLI::App& program);

/// `--bench`: times the training step on the project's kernels and on libtorch's own layers, in turns.
void bench_step(const TrainConfig& config, bool json);

}  // namespace snapcube
