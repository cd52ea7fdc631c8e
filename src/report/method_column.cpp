#include "report/method_column.h"

#include <fmt/format.h>

namespace snapcube {

namespace {

constexpr CostColumn kCosts[] = {{"Params (M)", &MethodColumn::parameters},
                                 {"FLOPs (G)", &MethodColumn::operations},
                                 {"MACs (G)", &MethodColumn::multiply_adds},
                                 {"Time (s)", &MethodColumn::seconds},
                                 {"Memory (MB)", &MethodColumn::memory}};

}  // namespace

std::vector<CostColumn> known_costs(const std::vector<MethodColumn>& methods) {
  std::vector<CostColumn> result;
  for (const CostColumn& column : kCosts) {
    for (const MethodColumn& method : methods) {
      if (method.*column.field) {
        result.push_back(column);
        break;
      }
    }
  }
  return result;
}

std::string cost_text(const std::optional<double>& value, const char* none) {
  return value ? fmt::format("{:.2f}", *value) : none;
}

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string latex_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += c;
        break;
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

}  // namespace snapcube
