#pragma once
// What the program says about arguments that it does not know.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace snapcube {

/// The words that were probably meant by one that is not known: those that begin with it, else those that fewest
/// changes (a letter more, less, another, or two swapped) away, if that is a third of the word at most. None: no word
/// is near.
std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known);

/// Throws InputError for a word that is no command of the program; the message suggests the nearest.
[[noreturn]] void refuse_command(const CLI::App& program, const std::string& word);

/// A sentence about arguments that could not be parsed. An option that does not exist comes first: that another one is
/// missing is then often its consequence.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace snapcube
