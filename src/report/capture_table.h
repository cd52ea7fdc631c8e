#pragma once
// The table of captures without a truth: methods × captures, the share of each measurement that its cube does not
// explain. As HTML, LaTeX, Markdown and CSV. What nobody has measured has no column.

#include <optional>
#include <string>
#include <vector>

#include "report/method_column.h"

namespace snapcube {

class CaptureTable {
 public:
  CaptureTable(std::vector<MethodColumn> methods, std::vector<std::string> captures);

  /// Camera::misfit, and the seconds of this capture, where they are known.
  void set(std::size_t method, std::size_t capture, std::optional<double> misfit, std::optional<double> seconds);

  /// Nothing if there would be nothing but names in it.
  std::string html() const;
  /// A tabular that needs no package.
  std::string latex() const;
  std::string markdown() const;
  /// A line for each method and capture.
  std::string csv() const;

 private:
  struct Cell {
    std::optional<double> misfit;
    std::optional<double> seconds;
  };
  const Cell& at(std::size_t method, std::size_t capture) const { return cells_[method * captures_.size() + capture]; }
  bool has_misfits() const;
  /// Over the captures; nothing unless the method has all of them.
  std::optional<double> mean(std::size_t method) const;
  /// Headings, then a row for each method.
  std::vector<std::vector<std::string>> rows(const char* none) const;

  std::vector<MethodColumn> methods_;
  std::vector<std::string> captures_;
  std::vector<Cell> cells_;
};

}  // namespace snapcube
