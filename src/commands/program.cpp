#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands/commands.h"
#include "commands/exit_code.h"
#include "commands/external.h"
#include "commands/help.h"
#include "io/hdf5.h"

namespace snapcube {

namespace {

std::string typed_name = "snapcube";
std::vector<std::string> typed_arguments;
int final_code = 0;

}  // namespace

const std::string& program_name() { return typed_name; }
void set_arguments(int argc, char** argv) {
  if (argc > 0) typed_name = argv[0];
  typed_arguments.assign(argv + std::min(argc, 1), argv + argc);
}
const std::vector<std::string>& arguments() { return typed_arguments; }
void set_exit_code(int code) { final_code = code; }
int exit_code() { return final_code; }

int run_program(int argc, char** argv) {
  io::keep_hdf5_from_cleaning_up_at_exit();
  set_arguments(argc, argv);
  CLI::App program("Hyperspectral cubes from one snapshot of a CASSI camera.", "snapcube");
  program.set_version_flag("--version", "snapcube " SNAPCUBE_VERSION);
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpFormatter>());
  add_simulate(program);
  add_reconstruct(program);
  add_evaluate(program);
  add_view(program);
  add_compare(program);
  add_ablate(program);
  add_report(program);
  add_inspect(program);
  add_convert(program);
  add_export(program);
  add_bench(program);
  add_methods(program);
  add_models(program);
  add_demo(program);
  // Set last: commands would inherit it.
  program.footer(
      "`snapcube COMMAND --help` explains a command and shows examples.\n"
      "`snapcube train` trains networks; it is a program of its own, snapcube-train.\n"
      "Start with `snapcube demo`.");

  return exit_code_of(program, [&] {
    hand_over_to_external(program, argc, argv);
    program.parse(argc, argv);
    return final_code;
  });
}

}  // namespace snapcube
