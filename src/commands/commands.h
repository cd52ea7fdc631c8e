#pragma once
// The commands of `snapcube`. One file a command; each adds itself to the program.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace snapcube {

/// Parses the arguments, runs the command, prints errors. Returns the exit code: 0 done, 1 failed, 2 bad input or
/// usage, 130 interrupted.
int run_program(int argc, char** argv);
/// What the user typed to start it: "snapcube", "build/release/bin/snapcube".
const std::string& program_name();
/// Notes what the program was started with.
void set_arguments(int argc, char** argv);
/// All arguments behind the program's name.
const std::vector<std::string>& arguments();
/// What the program returns if nothing throws: 0 unless a command over many files set it to 1.
void set_exit_code(int code);
int exit_code();

void add_simulate(CLI::App& program);
void add_calibrate(CLI::App& program);
void add_reconstruct(CLI::App& program);
void add_calibrate(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_view(CLI::App& program);
void add_watch(CLI::App& program);
void add_compare(CLI::App& program);
void add_ablate(CLI::App& program);
void add_report(CLI::App& program);
void add_inspect(CLI::App& program);
void add_convert(CLI::App& program);
void add_export(CLI::App& program);
void add_bench(CLI::App& program);
void add_methods(CLI::App& program);
void add_models(CLI::App& program);
void add_demo(CLI::App& program);

}  // namespace snapcube
