#pragma once
// Commands that are programs of their own, as git has them: `snapcube NAME …` runs `snapcube-NAME …`.

#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace snapcube {

/// A program beside this one, else in PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// If argv[1] is no command of `program` itself and there is a snapcube-NAME beside this program or in PATH, becomes
/// that program and does not return. Throws Error when `train` is asked for and not there, and InputError for any other
/// word that is no command.
void hand_over_to_external(const CLI::App& program, int argc, char** argv);

/// Becomes snapcube-train with the arguments that this program was started with, and does not return. Throws Error when
/// it is not there; `why` then tells what needs it.
[[noreturn]] void hand_over_to_training(const std::string& why);

}  // namespace snapcube
