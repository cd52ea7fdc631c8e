// snapcube ablate: trains every row of the paper's ablations with one budget, and makes the table and the figure.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <set>

#include <snapcube/snapcube.h>

#include "base/atomic_file.h"
#include "base/rank_variables.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/ablation_rows.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "io/collection.h"
#include "models/cst_cost.h"
#include "report/cost_figure.h"
#include "report/parameter_figure.h"
#include "report/score_table.h"
#include "report/svg.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube ablate breakdown --list
  snapcube ablate breakdown --data CAVE --mask mask.mat --validation KAIST --steps 20000 -o ablations
  snapcube ablate attention --data CAVE --mask mask.mat --validation CAVE/hairs_ms CAVE/sponges_ms --crop 128 --batch 1 \
      --steps 500 --learning-rate 8e-4 -o small -- --warmup 50 --clip 1
  RANK=1 WORLD_SIZE=2 snapcube ablate attention --data CAVE --mask mask.mat --validation KAIST -o /shared/ablations

Tables: breakdown, sparsity, attention, scope; parameters is the figure of σ, R, M and λ. Options after -- are passed to
`snapcube train`, and its defaults apply to all that is not given. Validation scenes are kept out of the training.
Each row is a run in FOLDER/rows. A finished row is not trained again, even for another table in the same folder; an
interrupted one is resumed. With RANK and WORLD_SIZE, rank i mod n trains row i; the last to finish makes the table.)";

constexpr int kCountedSize = 256;

struct Ablate {
  std::string table;
  std::vector<std::string> data;
  std::vector<std::string> validation;
  std::string mask;
  std::string steps;
  std::string crop;
  std::string batch;
  std::string learning_rate;
  std::string seed = "1";
  std::string threads;
  std::string rows;
  std::string folder;
  std::vector<std::string> extra;
  bool list = false;
  bool json = false;
  bool quiet = false;

  void run() const;

 private:
  std::vector<AblationRow> chosen() const;
  std::vector<std::string> train_options() const;
  void check_crop(const std::vector<AblationRow>& wanted) const;
  void print_list(const std::vector<AblationRow>& wanted) const;
  void report(const std::vector<AblationRow>& wanted, const std::vector<RowResult>& results) const;
  std::string in(const std::string& part) const { return (fs::path(folder) / part).string(); }
};

LayerCost cost_of(const ModelConfig& config) { return total(cst_cost(config, kCountedSize, kCountedSize)); }
double millions(const LayerCost& cost) { return static_cast<double>(cost.parameters) / 1e6; }

std::vector<AblationRow> Ablate::chosen() const {
  const std::vector<AblationRow>& all = find_ablation(table).rows;
  if (rows.empty()) return all;
  std::vector<AblationRow> wanted;
  for (const std::string& name : split(rows, ',')) {
    const auto found = std::ranges::find(all, name, &AblationRow::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const AblationRow& row : all) names.push_back(row.name);
      throw InputError("--rows", "", fmt::format("some of {}", fmt::join(names, ", ")), fmt::format("'{}'", name));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

std::vector<std::string> scene_names(const std::vector<std::string>& sources) {
  std::vector<std::string> names;
  for (const std::string& source : sources) {
    for (const std::string& file : is_collection(source) ? collection(source) : std::vector{source}) {
      names.push_back(stem(file));
    }
  }
  return names;
}

/// What `snapcube train` is told for every row.
std::vector<std::string> Ablate::train_options() const {
  if (data.empty()) throw InputError("--data", "", "folders of scenes to train on, or single scenes", "none");
  if (mask.empty()) throw InputError("--mask", "", "the coded aperture", "none");
  if (validation.empty()) throw InputError("--validation", "", "scenes to evaluate on", "none");
  std::vector<std::string> options;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    if (values.empty() || values.front().empty()) return;
    options.emplace_back(option);
    options.insert(options.end(), values.begin(), values.end());
  };
  std::vector<std::string> held_out;
  const std::vector<std::string> trained = scene_names(data);
  for (const std::string& name : scene_names(validation)) {
    if (std::ranges::count(trained, name) > 0) held_out.push_back(name);
  }
  add("--data", data);
  add("--exclude", held_out);
  add("--validation", validation);
  add("--mask", {mask});
  add("--steps", {steps});
  add("--crop", {crop});
  add("--batch", {batch});
  add("--learning-rate", {learning_rate});
  add("--seed", {seed});
  add("--threads", {threads});
  const auto given = [&](const char* option) { return std::ranges::count(extra, option) > 0; };
  // The score is that of the last step.
  if (!given("--validate-every")) add("--validate-every", {"0"});
  if (const auto count = parse_int(steps); count && *count > 0 && !given("--save-every")) {
    constexpr std::int64_t kMostLost = 1000;  // steps, when a row is interrupted
    add("--save-every", {std::to_string(std::clamp<std::int64_t>(*count / 10, 1, kMostLost))});
  }
  options.insert(options.end(), extra.begin(), extra.end());
  return options;
}

/// Before the first row is trained, not when its turn comes.
void Ablate::check_crop(const std::vector<AblationRow>& wanted) const {
  const auto size = parse_int(crop);
  if (!size || *size < 1 || *size > 16384) return;  // the default, or `train` says what is wrong
  for (const AblationRow& row : wanted) {
    const int side = static_cast<int>(*size);
    const FrameSize usable = usable_size(row.config, side, side);
    if (usable.height == side && usable.width == side) continue;
    throw InputError("--crop", fmt::format("row '{}'", row.title),
                     fmt::format("a size that it can work on, as {} is (or --rows without it)",
                                 shape_text(usable.height, usable.width)),
                     crop);
  }
}

std::string beside(double ours, std::optional<double> paper) {
  return paper ? fmt::format("{:.2f} ({:.2f})", ours, *paper) : fmt::format("{:.2f}", ours);
}

nlohmann::ordered_json row_json(const AblationRow& row, const ModelConfig& config) {
  const LayerCost cost = cost_of(config);
  nlohmann::ordered_json json = {{"name", row.name},
                                 {"title", row.title},
                                 {"parameters", cost.parameters},
                                 {"counted_by_paper", cost.counted_by_paper},
                                 {"multiply_adds", cost.multiply_adds}};
  if (row.paper) {
    json["paper"] = {{"psnr", row.paper->psnr},
                     {"ssim", row.paper->ssim},
                     {"parameters_millions", row.paper->parameters},
                     {"operations_billions", row.paper->operations}};
  }
  return json;
}

void Ablate::print_list(const std::vector<AblationRow>& wanted) const {
  if (json) {
    auto array = nlohmann::ordered_json::array();
    for (const AblationRow& row : wanted) array.push_back(row_json(row, row.config));
    fmt::print("{}\n", array.dump(2));
    return;
  }
  fmt::print("{:<12}{:<18}{:>14}{:>18}{:>12}\n", "row", "", "M param.", "G operations", "G mult.");
  for (const AblationRow& row : wanted) {
    const LayerCost cost = cost_of(row.config);
    const auto paper = [&](double PaperFigures::*field) {
      return row.paper ? std::optional((*row.paper).*field) : std::nullopt;
    };
    fmt::print("{:<12}{:<18}{:>14}{:>18}{:>12.2f}\n", row.name, row.title,
               beside(millions(cost), paper(&PaperFigures::parameters)),
               beside(cost.counted_by_paper / 1e9, paper(&PaperFigures::operations)), cost.multiply_adds / 1e9);
  }
  fmt::print(
      "\nA frame of {0}×{0} with 28 bands. Operations as the paper's counter counted them, in brackets what the paper "
      "prints;\nmultiply-adds as they are: convolutions, linear layers, matrix products.\n",
      kCountedSize);
}

ScoreTable score_table(const std::vector<AblationRow>& wanted, const std::vector<RowResult>& results) {
  std::vector<MethodColumn> methods;
  std::vector<std::string> scenes;
  for (const RowScene& scene : results.front().scenes) scenes.push_back(scene.name);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const LayerCost cost = cost_of(results[i].config);
    MethodColumn column{wanted[i].title};
    column.parameters = millions(cost);
    column.operations = cost.counted_by_paper / 1e9;
    column.multiply_adds = cost.multiply_adds / 1e9;
    methods.push_back(column);
  }
  ScoreTable table(methods, scenes, Protocol::toolbox);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t s = 0; s < std::min(scenes.size(), results[i].scenes.size()); ++s) {
      const RowScene& scene = results[i].scenes[s];
      table.set(i, s, {scene.psnr, scene.ssim, kUnknown, kUnknown, kUnknown, kUnknown});
    }
  }
  return table;
}

/// The points that differ from CST-M in one parameter, for each of the four.
std::string parameters_svg(const std::vector<RowResult>& results, const ScoreTable& table) {
  std::vector<ParameterPanel> panels;
  for (const AblationParameter& parameter : ablation_parameters()) {
    ParameterPanel panel{parameter.symbol, {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!varies_only(results[i].config, parameter)) continue;
      panel.points.push_back({parameter.value(results[i].config), table.mean(i)->psnr, *table.methods()[i].operations});
    }
    std::ranges::sort(panel.points, {}, &ParameterPoint::value);
    if (panel.points.size() > 1) panels.push_back(panel);
  }
  return parameter_figure(panels);
}

void Ablate::report(const std::vector<AblationRow>& wanted, const std::vector<RowResult>& results) const {
  const ScoreTable scores = score_table(wanted, results);
  std::string text = scores.markdown() + "\n";
  double seconds = 0;
  auto array = nlohmann::ordered_json::array();
  std::vector<std::string> times;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    seconds += results[i].seconds;
    times.push_back(fmt::format("{} {}", wanted[i].title, duration_text(results[i].seconds)));
    auto entry = row_json(wanted[i], results[i].config);
    const auto mean = scores.mean(i);
    entry.update({{"psnr", mean->psnr},
                  {"ssim", mean->ssim},
                  {"steps", results[i].steps},
                  {"seconds", results[i].seconds},
                  {"threads", results[i].threads}});
    array.push_back(entry);
  }
  text += fmt::format(
      "PSNR in dB / SSIM by the 'toolbox' protocol. Parameters and cost of a frame of {0}×{0}: FLOPs as the paper's "
      "counter counted, MACs as they are.\nEvery row: {1}.\n{2} of training on {3} thread{4}: {5}.\n",
      kCountedSize, fmt::join(train_options(), " "), duration_text(seconds), results.front().threads,
      results.front().threads == 1 ? "" : "s", fmt::join(times, ", "));
  write_text(in(table + ".md"), text);
  write_text(in(table + ".csv"), scores.csv());
  write_text(in(table + ".tex"), scores.latex());
  const std::string figure = table == "parameters" ? parameters_svg(results, scores) : cost_figure(scores);
  if (!figure.empty()) write_text(in(table + ".svg"), plot_file(figure));
  if (json) {
    fmt::print("{}\n", array.dump(2));
  } else {
    fmt::print("{}\n{}\n", text, in(table + ".md"));
  }
}

void Ablate::run() const {
  set_quiet(quiet);
  const std::vector<AblationRow> wanted = chosen();
  if (list) return print_list(wanted);
  if (folder.empty()) throw InputError("-o", "", "a folder for rows and tables", "none");
  check_crop(wanted);
  const RankVariables place = rank_variables();
  forget_rank_variables();  // a row is trained by one process
  const AblationRows runs(folder, train_options());
  std::vector<std::string> failed;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (static_cast<int>(i % static_cast<std::size_t>(place.size)) != place.rank) continue;
    stop_if_interrupted();
    try {
      runs.train(wanted[i], quiet);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      log_warning(fmt::format("{}: {}", wanted[i].title, error.what()));
      failed.push_back(wanted[i].title);
    }
  }
  std::vector<RowResult> results;
  std::vector<std::string> missing;
  for (const AblationRow& row : wanted) {
    if (auto result = runs.result(row)) {
      results.push_back(*std::move(result));
    } else {
      missing.push_back(row.title);
    }
  }
  if (missing.empty()) return report(wanted, results);
  if (!failed.empty()) throw Error(fmt::format("no table, because rows failed: {}", fmt::join(failed, ", ")));
  log_info(fmt::format("the table will be made when the other ranks have trained {}", fmt::join(missing, ", ")));
}

}  // namespace

void add_ablate(CLI::App& program) {
  auto command = std::make_shared<Ablate>();
  CLI::App* sub = program.add_subcommand("ablate", "train the rows of an ablation study; make its table and figure");
  sub->add_option("TABLE", command->table, "breakdown, sparsity, attention, scope or parameters")->required();
  sub->add_option("TRAIN", command->extra, "after --: more options for `snapcube train`");
  sub->add_option("--data", command->data, "scenes to train on: folders, or single scenes");
  sub->add_option("--validation", command->validation, "scenes to evaluate on: folders, or single scenes");
  sub->add_option("--mask", command->mask, "the coded aperture; larger than the crop, it is cropped at random");
  sub->add_option("-o,--output", command->folder, "folder for rows and tables; several tables share their rows");
  sub->add_option("--steps", command->steps, "training steps of every row");
  sub->add_option("--crop", command->crop, "height and width of a sample in pixels");
  sub->add_option("--batch", command->batch, "samples in a step");
  sub->add_option("--learning-rate", command->learning_rate, "the highest learning rate");
  sub->add_option("--seed", command->seed, "seed of weights, samples and noise")->capture_default_str();
  sub->add_option("--rows", command->rows, "only these, separated by commas");
  sub->add_flag("--list", command->list, "show the rows with their parameters and cost, and end");
  sub->add_flag("--json", command->json, "print a JSON array in place of the table");
  sub->add_option("--threads", command->threads, "threads for the training (default: all cores)");
  sub->add_flag("-q,--quiet", command->quiet, "warnings and errors only");
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
