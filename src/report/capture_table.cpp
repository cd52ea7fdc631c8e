#include "report/capture_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapcube {

namespace {

constexpr const char* kNote =
    "Below the captures' names: the misfit, the share of the measurement that the cube does not explain. A small one "
    "does not make a "
    "cube "
    "right: a method that is free enough explains anything, noise and a wrong mask too.";

std::string percent(const std::optional<double>& misfit, const char* none) {
  return misfit ? fmt::format("{:.1f} %", 100 * *misfit) : none;
}

}  // namespace

CaptureTable::CaptureTable(std::vector<MethodColumn> methods, std::vector<std::string> captures)
    : methods_(std::move(methods)), captures_(std::move(captures)), cells_(methods_.size() * captures_.size()) {}

void CaptureTable::set(std::size_t method, std::size_t capture, std::optional<double> misfit,
                       std::optional<double> seconds) {
  if (misfit && !std::isfinite(*misfit)) misfit.reset();
  cells_[method * captures_.size() + capture] = {misfit, seconds};
}

bool CaptureTable::has_misfits() const {
  return std::ranges::any_of(cells_, [](const Cell& c) { return c.misfit.has_value(); });
}

std::optional<double> CaptureTable::mean(std::size_t method) const {
  double sum = 0;
  for (std::size_t c = 0; c < captures_.size(); ++c) {
    if (!at(method, c).misfit) return std::nullopt;
    sum += *at(method, c).misfit;
  }
  return sum / static_cast<double>(captures_.size());
}

std::vector<std::vector<std::string>> CaptureTable::rows(const char* none) const {
  const std::vector<CostColumn> costs = known_costs(methods_);
  std::vector<std::vector<std::string>> table = {{"Method"}};
  for (const CostColumn& c : costs) table.front().emplace_back(c.heading);
  if (has_misfits()) {
    table.front().insert(table.front().end(), captures_.begin(), captures_.end());
    table.front().emplace_back("Mean");
  }
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    std::vector<std::string> row = {methods_[m].name};
    for (const CostColumn& c : costs) row.push_back(cost_text(methods_[m].*c.field, none));
    if (has_misfits()) {
      for (std::size_t c = 0; c < captures_.size(); ++c) row.push_back(percent(at(m, c).misfit, none));
      row.push_back(percent(mean(m), none));
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::string CaptureTable::html() const {
  const auto table = rows("–");
  const std::size_t columns = table.front().size();
  if (columns == 1) return {};
  const auto kind = [&](std::size_t i) { return has_misfits() && i + 1 == columns ? " class=\"mean\"" : ""; };
  std::string text = "<table class=\"scores\">\n<thead><tr>";
  for (std::size_t i = 0; i < columns; ++i) {
    text += fmt::format("<th scope=\"col\"{}>{}</th>", kind(i), html_text(table.front()[i]));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 1; r < table.size(); ++r) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(table[r].front()));
    for (std::size_t i = 1; i < columns; ++i) text += fmt::format("<td{}>{}</td>", kind(i), table[r][i]);
    text += "</tr>\n";
  }
  text += "</tbody>\n</table>\n";
  if (has_misfits()) text += fmt::format("<p class=\"note\">{}</p>\n", kNote);
  return text;
}

std::string CaptureTable::latex() const {
  const auto table = rows("--");
  std::string text = fmt::format(
      "% Misfit: per cent of the measurement that the cube does not explain\n\\begin{{tabular}}{{l{}}}\n\\hline\n",
      std::string(table.front().size() - 1, 'c'));
  for (std::size_t r = 0; r < table.size(); ++r) {
    std::vector<std::string> cells;
    for (const std::string& cell : table[r]) cells.push_back(cell == "--" ? cell : latex_text(cell));
    text += fmt::format("{} \\\\\n{}", fmt::join(cells, " & "), r == 0 ? "\\hline\n" : "");
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string CaptureTable::markdown() const {
  const auto table = rows("–");
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    text += fmt::format("| {} |\n", fmt::join(table[r], " | "));
    if (r > 0) continue;
    text += "|";
    for (std::size_t i = 0; i < table.front().size(); ++i) text += "---|";
    text += "\n";
  }
  if (has_misfits()) text += fmt::format("\n{}\n", kNote);
  return text;
}

std::string CaptureTable::csv() const {
  std::string text = "method,capture,misfit,seconds\n";
  const auto number = [](const std::optional<double>& v) { return v ? fmt::format("{:.6g}", *v) : std::string(); };
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    for (std::size_t c = 0; c < captures_.size(); ++c) {
      text += fmt::format("{},{},{},{}\n", csv_text(methods_[m].name), csv_text(captures_[c]), number(at(m, c).misfit),
                          number(at(m, c).seconds));
    }
  }
  return text;
}

}  // namespace snapcube
