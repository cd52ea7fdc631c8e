#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <new>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/external.h"
#include "commands/help.h"
#include "commands/interrupt.h"
#include "io/hdf5.h"

namespace snapcube {

namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

std::string typed_name = "snapcube";
int final_code = 0;

int complain(const char* message, int code) {
  clear_progress_line();
  fmt::print(stderr, "snapcube: {}\n", message);
  return code;
}

}  // namespace

const std::string& program_name() { return typed_name; }
void set_exit_code(int code) { final_code = code; }

int run_program(int argc, char** argv) {
  keep_hdf5_from_cleaning_up_at_exit();
  if (argc > 0) typed_name = argv[0];
  CLI::App program("Hyperspectral cubes from one snapshot of a CASSI camera.", "snapcube");
  program.set_version_flag("--version", "snapcube " SNAPCUBE_VERSION);
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpFormatter>());
  add_simulate(program);
  add_reconstruct(program);
  add_evaluate(program);
  add_inspect(program);
  add_convert(program);
  add_export(program);
  add_demo(program);
  // Set last: commands would inherit it.
  program.footer(
      "`snapcube COMMAND --help` explains a command and shows examples.\n"
      "Start with `snapcube demo`.");

  catch_interrupts();
  set_log_sink(log_to_terminal);
  try {
    hand_over_to_external(program, argc, argv);
    program.parse(argc, argv);
    return final_code;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? program.exit(error) : (program.exit(error), kBadInput);
  } catch (const Interrupted&) {
    return complain("interrupted; nothing was left half-written", kInterrupted);
  } catch (const InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace snapcube
