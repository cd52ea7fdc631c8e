#include "report/score_table.h"

#include <cmath>
#include <fmt/format.h>

namespace snapcube {

namespace {

constexpr int kPsnrDecimals = 2;
constexpr int kSsimDecimals = 3;

struct Measure {
  const char* key;
  double Scores::*field;
};
constexpr Measure kMeasures[] = {{"psnr", &Scores::psnr},   {"ssim", &Scores::ssim}, {"sam", &Scores::sam},
                                 {"ergas", &Scores::ergas}, {"rmse", &Scores::rmse}, {"uiqi", &Scores::uiqi}};

double rounded(double value, int decimals) {
  const double power = std::pow(10.0, decimals);
  return std::round(value * power) / power;
}

}  // namespace

ScoreTable::ScoreTable(std::vector<MethodColumn> methods, std::vector<std::string> scenes, Protocol protocol)
    : methods_(std::move(methods)),
      scenes_(std::move(scenes)),
      protocol_(protocol),
      cells_(methods_.size() * scenes_.size()) {}

std::optional<Scores> ScoreTable::mean(std::size_t method) const {
  Scores sum{};
  for (std::size_t scene = 0; scene < scenes_.size(); ++scene) {
    const auto& scores = at(method, scene);
    if (!scores) return std::nullopt;
    for (const Measure& m : kMeasures) sum.*m.field += (*scores).*m.field;
  }
  for (const Measure& m : kMeasures) sum.*m.field /= static_cast<double>(scenes_.size());
  return sum;
}

std::optional<Scores> ScoreTable::score(std::size_t method, std::size_t scene) const {
  return scene == scenes_.size() ? mean(method) : at(method, scene);
}

bool ScoreTable::is_best(std::size_t method, std::size_t scene, double Scores::*field, int decimals) const {
  const std::optional<Scores> own = score(method, scene);
  if (methods_.size() < 2 || !own || std::isnan((*own).*field)) return false;
  for (std::size_t other = 0; other < methods_.size(); ++other) {
    const std::optional<Scores> theirs = score(other, scene);
    if (theirs && rounded((*theirs).*field, decimals) > rounded((*own).*field, decimals)) return false;
  }
  return true;
}

std::string ScoreTable::html() const {
  const std::vector<CostColumn> costs = known_costs(methods_);
  std::string text = "<table class=\"scores\">\n<thead><tr><th scope=\"col\">Method</th>";
  for (const CostColumn& c : costs) text += fmt::format("<th scope=\"col\">{}</th>", c.heading);
  for (const std::string& scene : scenes_) text += fmt::format("<th scope=\"col\">{}</th>", html_text(scene));
  text += "<th scope=\"col\" class=\"mean\">Mean</th></tr></thead>\n<tbody>\n";
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(methods_[m].name));
    for (const CostColumn& c : costs) text += fmt::format("<td>{}</td>", cost_text(methods_[m].*c.field, "–"));
    for (std::size_t s = 0; s <= scenes_.size(); ++s) {
      const auto number = [&](double Scores::*field, int decimals) {
        const double value = (*score(m, s)).*field;
        if (std::isnan(value)) return std::string("–");
        const std::string digits = fmt::format("{:.{}f}", value, decimals);
        return is_best(m, s, field, decimals) ? fmt::format("<b>{}</b>", digits) : digits;
      };
      const char* kind = s == scenes_.size() ? " class=\"mean\"" : "";
      if (!score(m, s)) {
        text += fmt::format("<td{}>–</td>", kind);
      } else {
        text += fmt::format("<td{}>{}<br>{}</td>", kind, number(&Scores::psnr, kPsnrDecimals),
                            number(&Scores::ssim, kSsimDecimals));
      }
    }
    text += "</tr>\n";
  }
  return text + fmt::format(
                    "</tbody>\n</table>\n<p class=\"note\">PSNR in dB over SSIM, ‘{}’ protocol; the best in "
                    "bold.</p>\n",
                    to_string(protocol_));
}

std::string ScoreTable::latex() const {
  const std::vector<CostColumn> costs = known_costs(methods_);
  std::string text =
      fmt::format("% PSNR (dB) over SSIM, '{}' protocol\n\\begin{{tabular}}{{l{}{}c}}\n\\hline\nMethod",
                  to_string(protocol_), std::string(costs.size(), 'c'), std::string(scenes_.size(), 'c'));
  for (const CostColumn& c : costs) text += fmt::format(" & {}", c.heading);
  for (const std::string& scene : scenes_) text += fmt::format(" & {}", latex_text(scene));
  text += " & Mean \\\\\n\\hline\n";
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    const auto line = [&](double Scores::*field, int decimals) {
      std::string cells;
      for (std::size_t s = 0; s <= scenes_.size(); ++s) {
        const std::optional<Scores> scores = score(m, s);
        if (!scores || std::isnan((*scores).*field)) {
          cells += " & --";
        } else {
          const std::string digits = fmt::format("{:.{}f}", (*scores).*field, decimals);
          cells += is_best(m, s, field, decimals) ? fmt::format(" & \\textbf{{{}}}", digits) : " & " + digits;
        }
      }
      return cells + " \\\\\n";
    };
    text += latex_text(methods_[m].name);
    for (const CostColumn& c : costs) text += " & " + cost_text(methods_[m].*c.field, "--");
    text += line(&Scores::psnr, kPsnrDecimals);
    for (std::size_t i = 0; i < costs.size(); ++i) text += " &";
    text += line(&Scores::ssim, kSsimDecimals);
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string ScoreTable::markdown() const {
  const std::vector<CostColumn> costs = known_costs(methods_);
  std::string text = "| method |";
  std::string rule = "|---|";
  const auto add_column = [&](const std::string& heading) {
    text += fmt::format(" {} |", heading);
    rule += "---|";
  };
  for (const CostColumn& c : costs) add_column(c.heading);
  for (const std::string& scene : scenes_) add_column(scene);
  add_column("mean");
  text += "\n" + rule + "\n";
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    text += fmt::format("| {} |", methods_[m].name);
    for (const CostColumn& c : costs) text += fmt::format(" {} |", cost_text(methods_[m].*c.field, "–"));
    for (std::size_t s = 0; s <= scenes_.size(); ++s) {
      const std::optional<Scores> scores = score(m, s);
      text += scores ? fmt::format(" {:.{}f} / {:.{}f} |", scores->psnr, kPsnrDecimals, scores->ssim, kSsimDecimals)
                     : std::string(" – |");
    }
    text += '\n';
  }
  return text;
}

std::string ScoreTable::csv() const {
  std::string text = "method,scene";
  for (const Measure& m : kMeasures) text += fmt::format(",{}", m.key);
  text += ",mean_seconds,parameters_millions,operations_billions,memory_mb,multiply_adds_billions\n";
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    for (std::size_t s = 0; s <= scenes_.size(); ++s) {
      const std::optional<Scores> scores = score(m, s);
      if (!scores) continue;
      text += fmt::format("{},{}", csv_text(methods_[m].name), s == scenes_.size() ? "mean" : csv_text(scenes_[s]));
      for (const Measure& measure : kMeasures) {
        const double value = (*scores).*measure.field;
        text += std::isnan(value) ? std::string(",") : fmt::format(",{:.6g}", value);
      }
      for (const auto& cost : {methods_[m].seconds, methods_[m].parameters, methods_[m].operations, methods_[m].memory,
                               methods_[m].multiply_adds}) {
        text += cost ? fmt::format(",{:.6g}", *cost) : std::string(",");
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace snapcube
