#include "commands/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

/// How many letters are to be added, removed, replaced or swapped with their neighbour (each letter once).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

/// " Did you mean 'a' or 'b'?"; empty where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> near = nearest_words(word, known);
  return near.empty() ? "" : fmt::format(" Did you mean '{}'?", fmt::join(near, "' or '"));
}

/// "--mask", "--mask=x" → "--mask".
std::string without_value(const std::string& option) { return option.substr(0, option.find('=')); }

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// The sentence, with its full stop or question mark.
std::string problem(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> left = command.remaining();
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-') && word != "--";
  };
  if (const auto unknown = std::ranges::find_if(left, is_option); unknown != left.end()) {
    const std::string option = without_value(*unknown);
    return fmt::format("there is no option '{}'.{}", option, suggestion(option, option_names(command)));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !left.empty()) {
    return fmt::format("'{}' is one argument too many.", left.front());
  }
  std::string text = error.what();
  constexpr std::string_view kExcludes = " excludes ";  // how CLI11 says that two options cannot be combined
  if (const auto at = text.find(kExcludes); dynamic_cast<const CLI::ExcludesError*>(&error) && at != text.npos) {
    text.replace(at, kExcludes.size(), " cannot be combined with ");
  }
  return text + ".";
}

/// The command that was being parsed.
const CLI::App& parsed_command(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return parsed.empty() ? program : *parsed.front();
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 2;  // one letter begins too many words
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::vector<std::string> found;
  if (letters < kShortest) return found;
  std::ranges::copy_if(known, std::back_inserter(found), [&](const std::string& k) { return k.starts_with(word); });
  if (!found.empty()) return found;
  std::size_t least = std::max<std::size_t>(1, letters / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t changes = distance(word, candidate);
    if (changes < least) {
      least = changes;
      found = {candidate};
    } else if (changes == least && !found.empty()) {
      found.push_back(candidate);
    }
  }
  return found;
}

void refuse_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> known = {"help", "version", "train"};
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  throw InputError(
      fmt::format("'{}' is not a command.{} `snapcube help` lists the commands.", word, suggestion(word, known)));
}

std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = parsed_command(program);
  const std::string name = &command == &program ? program.get_name() : program.get_name() + " " + command.get_name();
  return fmt::format("{0}: {1} `{0} --help` explains the options.", name, problem(command, error));
}

}  // namespace snapcube
