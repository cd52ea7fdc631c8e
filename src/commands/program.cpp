#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include <snapcube/version.h>

#include "commands/commands.h"
#include "commands/exit_code.h"
#include "commands/external.h"
#include "commands/help.h"
#include "io/library_formats.h"

namespace snapcube {

namespace {

std::string typed_name = "snapcube";
std::vector<std::string> typed_arguments;
int final_code = 0;
constexpr int kUsage = 2;

/// `help [COMMAND]` and `version` as the options that they stand for: `COMMAND --help`, `--help`, `--version`.
std::vector<char*> with_options_for_words(int argc, char** argv) {
  static char help[] = "--help";
  static char version[] = "--version";
  std::vector<char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  const std::string_view second = argc > 2 ? argv[2] : "";
  if (first == "version") words = {argv[0], version};
  if (first == "help") {
    const bool of_command = !second.empty() && second != "help" && second != "version" && !second.starts_with('-');
    words = of_command ? std::vector<char*>{argv[0], argv[2], help} : std::vector<char*>{argv[0], help};
  }
  words.push_back(nullptr);
  return words;
}

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
  program.set_version_flag("-V,--version", fmt::format("snapcube {}", version()));
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpFormatter>());
  add_simulate(program);
  add_calibrate(program);
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
      "`snapcube help COMMAND` explains a command and shows examples.\n"
      "`snapcube train` trains networks; it is a program of its own, snapcube-train.\n"
      "Start with `snapcube demo`.");

  return exit_code_of(program, [&] {
    if (argc < 2) {
      fmt::print(stderr, "{}", program.help());
      return kUsage;
    }
    std::vector<char*> words = with_options_for_words(argc, argv);
    const int count = static_cast<int>(words.size()) - 1;
    hand_over_to_external(program, count, words.data());
    program.parse(count, words.data());
    return final_code;
  });
}

}  // namespace snapcube
