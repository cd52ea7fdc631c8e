#pragma once
// The commands of snapcube-train, the program that has libtorch.

namespace CLI {
class App;
}

namespace snapcube {

/// `snapcube-train` with its options and subcommands. Returns the exit code.
int run_training_program(int argc, char** argv);

/// `bench-reference`: the reference network for `snapcube bench --against torch`, which talks to it by lines.
void add_bench_reference(CLI::App& program);

}  // namespace snapcube
