// snapcube evaluate: how close reconstructions are to the truth.

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "io/collection.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube evaluate cube.mat truth.mat
  snapcube evaluate results/ truth/ --markdown
  snapcube evaluate results.mat:pred[0] scene01.mat --protocol uint8 --json

Folders are matched by name: results/scene01.h5 belongs to truth/scene01.mat.
Protocols of PSNR and SSIM differ by some tenths of a dB:
  toolbox   round(256·x), peak 255, not clamped; SSIM on raw values, zero padding (the published training logs)
  uint8     clamped, round(255·x), peak 255; SSIM on the valid region (the published MATLAB evaluation)
  float     clamped, peak 1; SSIM on the valid region)";

struct Evaluate {
  std::string images;
  std::string truths;
  std::string protocol = "toolbox";
  bool json = false;
  bool csv = false;
  bool markdown = false;
  ReadFlags read;

  void run() const;
};

struct Row {
  std::string name;
  Scores scores;
};

/// Columns of every form of output: key, heading, decimals.
struct Column {
  const char* key;
  const char* heading;
  int decimals;
  double Scores::*field;
};
constexpr Column kColumns[] = {
    {"psnr", "PSNR dB", 2, &Scores::psnr}, {"ssim", "SSIM", 4, &Scores::ssim}, {"sam", "SAM °", 2, &Scores::sam},
    {"ergas", "ERGAS", 2, &Scores::ergas}, {"rmse", "RMSE", 2, &Scores::rmse}, {"uiqi", "UIQI", 4, &Scores::uiqi},
};

std::string number(double value, int decimals) {
  return std::isnan(value) ? std::string("–") : fmt::format("{:.{}f}", value, decimals);
}

Row mean_of(const std::vector<Row>& rows) {
  Row mean{"mean", {}};
  for (const Column& c : kColumns) {
    double sum = 0;
    for (const Row& row : rows) sum += row.scores.*c.field;
    mean.scores.*c.field = sum / static_cast<double>(rows.size());
  }
  return mean;
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json object;
  for (const Column& c : kColumns) {
    const double value = row.scores.*c.field;
    object[c.key] = std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  }
  return object;
}

void print_json(const std::vector<Row>& rows, const std::string& protocol) {
  nlohmann::ordered_json root = {{"protocol", protocol}};
  root.update(to_json(mean_of(rows)));
  for (const Row& row : rows) {
    nlohmann::ordered_json scene = {{"name", row.name}};
    scene.update(to_json(row));
    root["scenes"].push_back(scene);
  }
  fmt::print("{}\n", root.dump(2));
}

void print_csv(const std::vector<Row>& rows) {
  fmt::print("scene");
  for (const Column& c : kColumns) fmt::print(",{}", c.key);
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("{}", row.name.find_first_of(",\"\n") == std::string::npos ? row.name : fmt::format("{:?}", row.name));
    for (const Column& c : kColumns) {
      const double value = row.scores.*c.field;
      fmt::print(",{}", std::isnan(value) ? std::string() : fmt::format("{:.6g}", value));
    }
    fmt::print("\n");
  }
}

void print_markdown(const std::vector<Row>& rows) {
  fmt::print("| scene |");
  for (const Column& c : kColumns) fmt::print(" {} |", c.heading);
  fmt::print("\n|---|");
  for ([[maybe_unused]] const Column& c : kColumns) fmt::print("---:|");
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("| {} |", row.name);
    for (const Column& c : kColumns) fmt::print(" {} |", number(row.scores.*c.field, c.decimals));
    fmt::print("\n");
  }
}

void print_text(const std::vector<Row>& rows, const std::string& protocol) {
  std::size_t widest = 5;
  for (const Row& row : rows) widest = std::max(widest, row.name.size());
  fmt::print("{:<{}}", "scene", widest + 2);
  for (const Column& c : kColumns) fmt::print("{:>9}", c.heading);
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("{:<{}}", row.name, widest + 2);
    for (const Column& c : kColumns) fmt::print("{:>9}", number(row.scores.*c.field, c.decimals));
    fmt::print("\n");
  }
  fmt::print("PSNR and SSIM by the '{}' protocol\n", protocol);
}

/// Pairs of reconstruction and truth, in the order of their names.
std::vector<std::pair<std::string, std::string>> pairs(const std::string& images, const std::string& truths) {
  if (!is_collection(images) && !is_collection(truths)) return {{images, truths}};
  if (!is_collection(images) || !is_collection(truths)) {
    throw InputError("evaluate", "arguments", "two cubes or two folders of cubes",
                     fmt::format("one folder: {}", is_collection(images) ? images : truths));
  }
  std::vector<std::pair<std::string, std::string>> result;
  std::vector<std::string> lonely;
  const auto candidates = collection(truths);
  for (const std::string& image : collection(images)) {
    const auto match = std::ranges::find_if(candidates, [&](const std::string& t) { return stem(t) == stem(image); });
    if (match != candidates.end()) {
      result.emplace_back(image, *match);
    } else {
      lonely.push_back(stem(image));
    }
  }
  for (const std::string& name : lonely) log_warning(fmt::format("{}: no truth of that name in {}", name, truths));
  if (result.empty()) {
    throw InputError("evaluate", "folders", "cubes of equal names in both",
                     fmt::format("none in {} and {}", images, truths));
  }
  return result;
}

void Evaluate::run() const {
  const Protocol wanted = parse_protocol(protocol);
  std::vector<Row> rows;
  const auto all = pairs(images, truths);
  ProgressLine progress("evaluating");
  for (const auto& [image, truth] : all) {
    stop_if_interrupted();
    progress.update(static_cast<double>(rows.size()) / static_cast<double>(all.size()));
    try {
      rows.push_back({stem(image), score(read_cube(image, read.options()), read_cube(truth, read.options()), wanted)});
    } catch (const InputError& error) {
      if (all.size() == 1) throw;
      throw InputError(fmt::format("{} against {}: {}", image, truth, error.what()));
    }
  }
  clear_progress_line();
  if (json) return print_json(rows, protocol);
  if (rows.size() > 1) rows.push_back(mean_of(rows));
  if (csv) return print_csv(rows);
  if (markdown) return print_markdown(rows);
  print_text(rows, protocol);
}

}  // namespace

void add_evaluate(CLI::App& program) {
  auto command = std::make_shared<Evaluate>();
  CLI::App* sub = program.add_subcommand("evaluate", "measure how close reconstructions are to the truth");
  sub->add_option("PRED", command->images, "a reconstruction, or a folder of them")->required();
  sub->add_option("TRUTH", command->truths, "the truth, or a folder of them")->required();
  sub->add_option("--protocol", command->protocol, "protocol of PSNR and SSIM: toolbox, uint8, float")
      ->capture_default_str();
  auto* json = sub->add_flag("--json", command->json, "print one JSON object");
  auto* csv = sub->add_flag("--csv", command->csv, "print comma-separated values")->excludes(json);
  sub->add_flag("--markdown", command->markdown, "print a Markdown table")->excludes(json)->excludes(csv);
  command->read.add_to(*sub);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
