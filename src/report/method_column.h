#pragma once
// What a table says of a method beside its results: what it costs. Columns are there only where something is known.

#include <optional>
#include <string>
#include <vector>

namespace snapcube {

struct MethodColumn {
  std::string name;
  std::optional<double> seconds = std::nullopt;     ///< a frame
  std::optional<double> parameters = std::nullopt;  ///< millions
  std::optional<double> operations = std::nullopt;  ///< thousand millions, as the papers count them
  std::optional<double> memory = std::nullopt;      ///< MB, the most that the program held
  /// Thousand millions of convolutions', linear layers' and matrix products' operations, as they are.
  std::optional<double> multiply_adds = std::nullopt;
};

struct CostColumn {
  const char* heading;
  std::optional<double> MethodColumn::*field;
};
std::vector<CostColumn> known_costs(const std::vector<MethodColumn>& methods);
/// Two decimals; `none` where it is not known.
std::string cost_text(const std::optional<double>& value, const char* none);

/// &, <, > and quotes as HTML wants them.
std::string html_text(const std::string& text);
std::string latex_text(const std::string& text);
/// In quotes where it has to be.
std::string csv_text(const std::string& text);

}  // namespace snapcube
