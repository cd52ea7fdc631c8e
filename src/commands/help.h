#pragma once
// How `--help` looks: "--seed N  of the noise … [1]" in place of CLI11's "--seed UINT=1".

#include <CLI/CLI.hpp>
#include <string>

namespace snapcube {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(30);
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    // "--no-x{false}" is how CLI11 notes that a flag says no.
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    for (auto at = name.find("{false}"); at != std::string::npos; at = name.find("{false}")) name.erase(at, 7);
    return name;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_name().empty()) return "";  // a flag
    const std::string type = option->get_type_name();
    const bool number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
    return option->get_positional() ? "" : number ? " N" : " ARG";
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    if (option->get_required() && !option->get_positional()) text += " (required)";
    return text;
  }
};

}  // namespace snapcube
