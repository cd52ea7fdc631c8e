#pragma once
// Names, ranges and texts of a method's parameters, bound to the fields of its options: one line a parameter gives the
// default, the help and the parsing.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <snapcube/reconstructor.h>

namespace snapcube {

class ParameterList {
 public:
  explicit ParameterList(std::string method) : method_(std::move(method)) {}

  void add(const std::string& name, int& value, int least, const std::string& description);
  void add(const std::string& name, int& value, int least, int most, const std::string& description);
  void add(const std::string& name, double& value, double least, const std::string& description);
  void add(const std::string& name, bool& value, const std::string& description);
  void add(const std::string& name, std::string& value, const std::string& description);
  /// A size in memory: "800M", "2G"; a number alone is in MB.
  void add_bytes(const std::string& name, std::uint64_t& value, const std::string& description);
  template <typename Enum>
  void add(const std::string& name, Enum& value, const std::vector<std::pair<std::string, Enum>>& names,
           const std::string& description) {
    std::vector<std::string> words;
    std::string current;
    for (const auto& [word, meaning] : names) {
      words.push_back(word);
      if (meaning == value) current = word;
    }
    add_choice(name, current, words, description,
               [&value, names](std::size_t chosen) { value = names[chosen].second; });
  }

  /// Name, value (the default, before apply()) and description of each.
  std::vector<MethodParameter> describe() const;
  /// Sets the fields, or none: throws InputError for an unknown name (the message lists the known) or a value that does
  /// not fit.
  void apply(const Reconstructor::Settings& settings);

 private:
  void assign(const Reconstructor::Settings& settings);
  struct Entry {
    MethodParameter text;
    std::string expected;                            ///< "a whole number of at least 1"
    std::function<bool(const std::string&)> assign;  ///< false: the text does not fit
  };
  void add_choice(const std::string& name, const std::string& current, const std::vector<std::string>& words,
                  const std::string& description, std::function<void(std::size_t)> choose);

  std::string method_;
  std::vector<Entry> entries_;
};

}  // namespace snapcube
