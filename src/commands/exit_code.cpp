#include "commands/exit_code.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <new>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/terminal.h"
#include "commands/interrupt.h"
#include "commands/usage.h"

namespace snapcube {

namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;

}  // namespace

int exit_code_of(CLI::App& program, const std::function<int()>& work) {
  const auto complain = [&](const char* message, int code) {
    clear_progress_line();
    fmt::print(stderr, "{}: {}\n", program.get_name(), message);
    return code;
  };
  catch_interrupts();
  set_log_sink(log_to_terminal);
  try {
    return work();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    fmt::print(stderr, "{}\n", usage_message(program, error));
    return kBadInput;
  } catch (const Interrupted&) {
    return complain("interrupted; nothing was left half-written", kExitInterrupted);
  } catch (const InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace snapcube
