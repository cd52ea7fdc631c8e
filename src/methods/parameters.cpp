#include "methods/parameters.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>

#include "base/memory_size.h"
#include "base/text.h"

namespace snapcube {

void ParameterList::add(const std::string& name, int& value, int least, const std::string& description) {
  add(name, value, least, std::numeric_limits<int>::max(), description);
}

void ParameterList::add(const std::string& name, int& value, int least, int most, const std::string& description) {
  const bool bounded = most < std::numeric_limits<int>::max();
  entries_.push_back({{name, std::to_string(value), description},
                      bounded ? fmt::format("a whole number from {} to {}", least, most)
                              : fmt::format("a whole number of at least {}", least),
                      [&value, least, most](const std::string& text) {
                        const auto number = parse_int(text);
                        if (!number || *number < least || *number > most) return false;
                        value = static_cast<int>(*number);
                        return true;
                      }});
}

void ParameterList::add(const std::string& name, double& value, double least, const std::string& description) {
  entries_.push_back({{name, fmt::format("{}", value), description},
                      fmt::format("a number of at least {}", least),
                      [&value, least](const std::string& text) {
                        const auto number = parse_double(text);
                        if (!number || !std::isfinite(*number) || *number < least) return false;
                        value = *number;
                        return true;
                      }});
}

void ParameterList::add(const std::string& name, bool& value, const std::string& description) {
  add_choice(name, value ? "yes" : "no", {"no", "yes"}, description,
             [&value](std::size_t chosen) { value = chosen == 1; });
}

void ParameterList::add(const std::string& name, std::string& value, const std::string& description) {
  entries_.push_back({{name, value, description}, "a text", [&value](const std::string& text) {
                        value = text;
                        return true;
                      }});
}

void ParameterList::add_bytes(const std::string& name, std::uint64_t& value, const std::string& description) {
  entries_.push_back(
      {{name, value % kMegabyte == 0 ? std::to_string(value / kMegabyte) : fmt::format("{}B", value), description},
       "a size such as 800M or 2G (a number alone: MB)",
       [&value](const std::string& text) {
         const auto bytes = parse_bytes(text, kMegabyte);
         if (bytes) value = *bytes;
         return bytes.has_value();
       }});
}

void ParameterList::add_choice(const std::string& name, const std::string& current,
                               const std::vector<std::string>& words, const std::string& description,
                               std::function<void(std::size_t)> choose) {
  entries_.push_back({{name, current, fmt::format("{} ({})", description, fmt::join(words, ", "))},
                      fmt::format("one of {}", fmt::join(words, ", ")),
                      [words, choose = std::move(choose)](const std::string& text) {
                        const auto found = std::ranges::find(words, text);
                        if (found == words.end()) return false;
                        choose(static_cast<std::size_t>(found - words.begin()));
                        return true;
                      }});
}

std::vector<MethodParameter> ParameterList::describe() const {
  std::vector<MethodParameter> result;
  for (const Entry& e : entries_) result.push_back(e.text);
  return result;
}

void ParameterList::apply(const Reconstructor::Settings& settings) {
  try {
    assign(settings);
  } catch (...) {  // all or nothing
    for (const Entry& e : entries_) e.assign(e.text.default_value);
    throw;
  }
}

void ParameterList::assign(const Reconstructor::Settings& settings) {
  for (const auto& [name, text] : settings) {
    const auto entry = std::ranges::find_if(entries_, [&key = name](const Entry& e) { return e.text.name == key; });
    if (entry == entries_.end()) {
      std::vector<std::string> known;
      for (const Entry& e : entries_) known.push_back(e.text.name);
      throw InputError(method_, "parameter", fmt::format("one of {}", fmt::join(known, ", ")),
                       fmt::format("'{}'", name));
    }
    if (!entry->assign(text)) {
      throw InputError(method_, fmt::format("parameter '{}'", name), entry->expected, fmt::format("'{}'", text));
    }
  }
}

}  // namespace snapcube
