#include "commands/external.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <snapcube/error.h>

#include "base/text.h"
#include "commands/commands.h"
#include "commands/usage.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrain = "train";

/// Letters, digits and inner dashes: never a path.
bool is_command_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool is_own_command(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return true;
  }
  return false;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

Error no_training_program(const std::string& what) {
  return Error(fmt::format(
      "{} needs the program snapcube-train, which is neither beside this one nor in PATH; it is "
      "built where libtorch is installed (`./dev test` installs it), and the Debian package snapcube-train has it",
      what));
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(self.parent_path());
  if (const char* list = std::getenv("PATH")) {
    for (const std::string& folder : split(list, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  for (const fs::path& folder : folders) {
    if (is_program(folder / name)) return folder / name;
  }
  return std::nullopt;
}

void hand_over_to_external(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-' || is_own_command(program, argv[1])) return;
  const std::string name = argv[1];
  std::optional<fs::path> found;
  if (is_command_name(name)) found = find_program("snapcube-" + name);
  if (found) {
    std::string path = found->string();
    argv[1] = path.data();
    ::execv(path.c_str(), argv + 1);
    throw Error(fmt::format("{} cannot be run: {}", path, std::strerror(errno)));
  }
  if (name == kTrain) throw no_training_program("training");
  refuse_command(program, name);
}

void hand_over_to_training(const std::string& why) {
  const std::optional<fs::path> found = find_program("snapcube-train");
  if (!found) throw no_training_program(why);
  std::vector<std::string> words = {found->string()};
  words.insert(words.end(), arguments().begin(), arguments().end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  throw Error(fmt::format("{} cannot be run: {}", words[0], std::strerror(errno)));
}

}  // namespace snapcube
