#pragma once
// What every program of the project does around its work: signals, log, errors as messages and exit codes.

#include <functional>

namespace CLI {
class App;
}

namespace snapcube {

/// Of a program that was asked to stop, as shells have it: 128 + SIGINT.
inline constexpr int kExitInterrupted = 130;

/// Runs `work` and returns the exit code: what `work` returns, 1 failed, 2 bad input or usage, 130 interrupted. Errors
/// are printed with the program's name.
int exit_code_of(CLI::App& program, const std::function<int()>& work);

}  // namespace snapcube
