// snapcube report: the tables and figures of a comparison, as one page.

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include <snapcube/snapcube.h>

#include "base/atomic_file.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/assumed_wavelengths.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "io/collection.h"
#include "models/networks.h"
#include "optics/wavelength_text.h"
#include "render/picks.h"
#include "report/capture_table.h"
#include "report/cost_figure.h"
#include "report/page.h"
#include "report/scene_section.h"
#include "report/score_table.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube report results/ truth/ -o report.html
  snapcube report GAP-TV=gap/ truth/ TwIST=twist/ CST-S=cst/ -o report.html --latex table.tex --csv scores.csv
  snapcube report cst/ truth/ -o report.html --measurements shots/ --times cst=times.json
  snapcube report --no-truth GAP-TV=gap/ CST-S=cst/ --measurements shots/ --times CST-S=cst.json -o report.html

Folders are matched by name: results/scene01.h5 belongs to truth/scene01.mat. NAME=FOLDER names a method; without it the
folder's name is used. Times are the output of `snapcube reconstruct --json`, or its summary of a folder as JSON.

Of captures nobody knows the truth: --no-truth compares methods side by side, by their pictures, spectra of regions, and
by time and misfit as the files of --times tell them. Nothing else is in the table.

A method that has the
name of a network (`snapcube methods`) is listed with its parameters and operations; two of them give a figure of PSNR over
operations.)";

constexpr int kRegions = 2;
constexpr int kShownBands = 4;
constexpr std::uintmax_t kMostPngBytes = std::uintmax_t{32} << 20;

/// Files of one folder (or a single one) by the names of their scenes.
using Files = std::map<std::string, std::string>;

/// "CST-S=cst/" → {"CST-S", "cst/"}
struct Named {
  std::string name;
  std::string location;
};

Named named(const std::string& text) {
  const auto equals = text.find('=');
  std::error_code status;
  if (equals != std::string::npos && equals > 0 && !fs::exists(text, status)) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  fs::path path = text;
  if (!path.has_filename()) path = path.parent_path();
  return {is_collection(text) ? path.filename().string() : stem(text), text};
}

/// A single file stands for whatever scene the others have.
Files files_of(const std::string& location, const std::string& single_name) {
  if (!is_collection(location)) return {{single_name, location}};
  Files files;
  for (const std::string& file : collection(location)) files.emplace(stem(file), file);
  return files;
}

/// What `reconstruct` said of a cube.
struct Told {
  std::optional<double> seconds;
  std::optional<double> misfit;
};

/// A method: what is said of it, and its files.
struct Contender {
  MethodColumn column;
  Files files;
  std::string sparsity_folder = {};
  std::map<std::string, Told> told = {};  ///< by the names of scenes
};

struct Report {
  std::string first;
  std::string truth;
  bool no_truth = false;
  std::vector<std::string> more;
  std::string output;
  std::string csv;
  std::string latex;
  std::string markdown;
  std::vector<std::string> notes;
  std::string title = "Reconstructions compared";
  std::string measurements;
  std::string protocol = "toolbox";
  std::vector<std::string> times;
  std::vector<std::string> sparsity;
  std::vector<std::string> regions;
  std::string detail;
  std::string shown_bands;
  ReadFlags read;

  void run() const;
  std::vector<Contender> contenders(const std::string& first_scene) const;
  /// What is there of a scene; `truth_file` is empty where there is none.
  SceneContent content(const std::string& scene, const std::string& truth_file,
                       const std::vector<Contender>& methods) const;
  std::optional<SceneResult> result(const Contender& c, std::size_t number, const SceneContent& scene) const;
  void pick(SceneContent& scene) const;
  std::vector<int> bands(const Cube& cube) const;
  void write(const std::string& lead, const std::string& figures) const;
  void write_tables(const std::string& csv_text, const std::string& latex_text, const std::string& markdown_text) const;
  void compare_with_truth() const;
  void compare_captures() const;
};

/// Mean time, the most memory, and what is told of each cube, as `snapcube reconstruct --json` or --summary wrote them.
void add_times(Contender& method, const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file, "", "a readable file", "none");
  const auto root = nlohmann::json::parse(stream, nullptr, false);
  double sum = 0;
  int count = 0;
  const auto number = [](const nlohmann::json& entry, const char* name) {
    const auto found = entry.find(name);
    return found != entry.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  };
  if (root.is_object() && root.contains("results") && root["results"].is_array()) {
    for (const auto& entry : root["results"]) {
      if (!entry.is_object()) continue;
      const Told told = {number(entry, "seconds"), number(entry, "misfit")};
      if (!told.seconds) continue;
      sum += *told.seconds;
      ++count;
      for (const char* name : {"input", "frame"}) {
        if (entry.contains(name) && entry[name].is_string()) method.told[stem(entry[name].get<std::string>())] = told;
      }
    }
  }
  if (count == 0) throw InputError(file, "results", "times, as `snapcube reconstruct --json` prints them", "none");
  method.column.seconds = sum / count;
  if (root.contains("peak_memory_mb") && root["peak_memory_mb"].is_number()) {
    method.column.memory = root["peak_memory_mb"];
  }
}

/// Counts the network if the method is called like one.
void add_cost(MethodColumn& column, const Cube& frame) {
  const std::vector<std::string> names = network_names();
  const auto name = std::ranges::find_if(
      names, [&](const std::string& n) { return n == lower(column.name) || network_title(n) == column.name; });
  if (name == names.end()) return;
  ModelConfig config = network_config(*name);
  config.bands = frame.bands();
  const FrameSize size = usable_size(config, frame.height(), frame.width());
  const LayerCost cost = total(network_cost(config, size.height, size.width));
  column.parameters = static_cast<double>(cost.parameters) / 1e6;
  column.operations = cost.counted_by_paper / 1e9;
  column.multiply_adds = cost.multiply_adds / 1e9;
}

/// The method that an option's NAME=… means; without a name, the only one.
Contender& contender(std::vector<Contender>& all, const std::string& option, const std::string& name, bool was_named) {
  if (!was_named && all.size() == 1) return all.front();
  for (Contender& c : all) {
    if (c.column.name == name) return c;
  }
  throw InputError(option, "", "NAME=…, the name of a method", fmt::format("'{}'", name));
}

std::string png_file(const std::string& path) {
  std::error_code status;
  if (!fs::exists(path, status)) return {};
  if (fs::file_size(path, status) > kMostPngBytes) throw InputError(path, "size", "at most 32 MB", "more");
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!bytes.starts_with("\x89PNG\r\n\x1a\n")) throw InputError(path, "", "a PNG", "something else");
  return bytes;
}

void check_region(const Region& r, const Cube& cube, const std::string& option) {
  if (r.height < 1 || r.width < 1 || r.top + r.height > cube.height() || r.left + r.width > cube.width()) {
    throw InputError(option, "", fmt::format("a rectangle inside of {}", shape_text(cube.height(), cube.width())),
                     fmt::format("{},{},{},{}", r.top, r.left, r.height, r.width));
  }
}

std::vector<int> Report::bands(const Cube& cube) const {
  if (shown_bands.empty()) return spread_bands(cube.bands(), kShownBands);
  if (cube.wavelengths.empty()) throw InputError("--bands", "", "cubes with wavelengths", "none");
  std::vector<int> result;
  for (const double nm : parse_numbers(shown_bands, "--bands")) {
    const auto nearest = std::ranges::min_element(cube.wavelengths, {}, [nm](double w) { return std::abs(w - nm); });
    result.push_back(static_cast<int>(nearest - cube.wavelengths.begin()));
  }
  return result;
}

/// Regions, detail and bands, as they were asked for or as they look best.
void Report::pick(SceneContent& scene) const {
  const Cube& cube = scene.reference();
  for (const std::string& text : regions) {
    scene.regions.push_back(parse_region(text, "--region"));
    check_region(scene.regions.back(), cube, "--region");
  }
  if (regions.empty()) scene.regions = pick_spectral_regions(cube, kRegions);
  scene.detail = detail.empty() ? pick_detail(cube) : parse_region(detail, "--detail");
  check_region(scene.detail, cube, "--detail");
  scene.bands = bands(cube);
}

/// Light in all, for cubes in different units.
double mean_of(const Cube& cube) {
  double sum = 0;
  for (const float v : cube.values()) sum += v;
  return sum / static_cast<double>(cube.size());
}

/// Cubes of other units (a network's that makes them 0 … 1) are shown at the first one's level, and the note says so.
void match_levels(SceneContent& scene) {
  constexpr double kAlike = 1.25;
  const double level = mean_of(scene.results.front().cube);
  for (SceneResult& r : scene.results) {
    const double own = mean_of(r.cube);
    if (!(level > 0) || !(own > 0)) continue;
    const double factor = level / own;
    if (factor < kAlike && factor > 1 / kAlike) continue;
    for (float& v : r.cube.values()) v *= static_cast<float>(factor);
    scene.note += fmt::format("{}{} is shown times {:.3g}, to be as bright as {}.", scene.note.empty() ? "" : " ",
                              r.method, factor, scene.results.front().method);
  }
}

SceneContent Report::content(const std::string& scene, const std::string& truth_file,
                             const std::vector<Contender>& methods) const {
  SceneContent result;
  result.name = scene;
  if (!truth_file.empty()) result.truth = read_cube_for_viewing(truth_file, read.options());
  for (std::size_t m = 0; m < methods.size(); ++m) {
    stop_if_interrupted();
    if (auto made = this->result(methods[m], m, result)) result.results.push_back(std::move(*made));
  }
  if (!result.truth) {
    const Cube& shape = result.results.front().cube;
    for (const SceneResult& r : result.results) {
      if (r.cube.bands() == shape.bands() && r.cube.height() == shape.height() && r.cube.width() == shape.width()) {
        continue;
      }
      throw InputError(scene, r.method,
                       fmt::format("{} bands of {}, as {} has them", shape.bands(),
                                   shape_text(shape.height(), shape.width()), result.results.front().method),
                       fmt::format("{} of {}", r.cube.bands(), shape_text(r.cube.height(), r.cube.width())));
    }
    match_levels(result);
  }
  pick(result);
  if (!measurements.empty()) {
    const Files shots = files_of(measurements, scene);
    if (const auto shot = shots.find(scene); shot != shots.end()) {
      result.measurement = read_measurement(shot->second, read.options());
    }
  }
  return result;
}

std::vector<Contender> Report::contenders(const std::string& first_scene) const {
  std::vector<Contender> result;
  std::vector<std::string> folders = {first};
  if (no_truth && !truth.empty()) folders.push_back(truth);  // the second word is a method, too
  folders.insert(folders.end(), more.begin(), more.end());
  for (const std::string& text : folders) {
    const Named method = named(text);
    for (const Contender& c : result) {
      if (c.column.name == method.name) throw InputError("report", "methods", "different names", method.name);
    }
    result.push_back({{method.name}, files_of(method.location, first_scene)});
  }
  for (const std::string& text : times) {
    const Named entry = named(text);
    add_times(contender(result, "--times", entry.name, entry.location != text), entry.location);
  }
  for (const std::string& text : sparsity) {
    const Named entry = named(text);
    contender(result, "--sparsity", entry.name, entry.location != text).sparsity_folder = entry.location;
  }
  return result;
}

/// Scenes of which there is a truth and at least one reconstruction.
std::vector<std::string> common_scenes(const Files& truths, const std::vector<Contender>& contenders) {
  std::vector<std::string> scenes;
  for (const auto& entry : truths) {
    const std::string& scene = entry.first;
    if (std::ranges::any_of(contenders, [&](const Contender& c) { return c.files.contains(scene); })) {
      scenes.push_back(scene);
    }
  }
  if (scenes.empty()) throw InputError("report", "folders", "cubes of equal names in both", "none");
  return scenes;
}

/// What a method made of a scene, with its scores; nothing where it made nothing of it.
std::optional<SceneResult> Report::result(const Contender& c, std::size_t number, const SceneContent& scene) const {
  const auto file = c.files.find(scene.name);
  if (file == c.files.end()) {
    log_warning(fmt::format("{}: no reconstruction of {}", c.column.name, scene.name));
    return std::nullopt;
  }
  SceneResult result{c.column.name, number, {}};
  if (!scene.truth) {
    result.cube = read_cube_for_viewing(file->second, read.options());
    if (const auto told = c.told.find(scene.name); told != c.told.end()) result.misfit = told->second.misfit;
  } else {
    result.cube = read_cube(file->second, read.options());
    try {
      result.scores = score(result.cube, *scene.truth, parse_protocol(protocol));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file->second, error.what()));
    }
  }
  if (!c.sparsity_folder.empty()) {
    result.sparsity_png = png_file((fs::path(c.sparsity_folder) / (scene.name + ".png")).string());
  }
  return result;
}

std::string plural(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

void Report::write(const std::string& lead, const std::string& figures) const {
  std::string text = lead;
  for (const std::string& note : notes) text += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  write_text(output, report_page(title, text + figures));
}

void Report::write_tables(const std::string& csv_text, const std::string& latex_text,
                          const std::string& markdown_text) const {
  if (!csv.empty()) write_text(csv, csv_text);
  if (!latex.empty()) write_text(latex, latex_text);
  if (!markdown.empty()) {
    std::string text = markdown_text;
    for (const std::string& note : notes) text += fmt::format("\n{}\n", note);
    write_text(markdown, text);
  }
}

void Report::compare_with_truth() const {
  const Protocol wanted = parse_protocol(protocol);
  const Files truths = files_of(truth, stem(truth));
  std::vector<Contender> methods = contenders(truths.begin()->first);
  const std::vector<std::string> scenes = common_scenes(truths, methods);

  std::vector<std::vector<std::optional<Scores>>> scores(methods.size());
  std::string figures;
  ProgressLine progress("reporting");
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    progress.update(static_cast<double>(s) / static_cast<double>(scenes.size()));
    const SceneContent scene = content(scenes[s], truths.at(scenes[s]), methods);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (s == 0) add_cost(methods[m].column, *scene.truth);
      const auto made = std::ranges::find(scene.results, m, &SceneResult::number);
      scores[m].push_back(made == scene.results.end() ? std::nullopt : made->scores);
    }
    figures += scene_section(scene);
  }
  std::vector<MethodColumn> columns;
  for (const Contender& c : methods) columns.push_back(c.column);
  ScoreTable table(columns, scenes, wanted);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    for (std::size_t s = 0; s < scenes.size(); ++s) {
      if (scores[m][s]) table.set(m, s, *scores[m][s]);
    }
  }
  clear_progress_line();
  if (const std::string figure = cost_figure(table); !figure.empty()) {
    figures = fmt::format("<div class=\"figure\">{}</div>\n", figure) + figures;
  }
  write(fmt::format("<p class=\"lead\">{} on {}.</p>\n<div class=\"holder\">{}</div>\n",
                    plural(methods.size(), "method"), plural(scenes.size(), "scene"), table.html()),
        figures);
  write_tables(table.csv(), table.latex(), table.markdown());
}

void Report::compare_captures() const {
  std::vector<Contender> methods =
      contenders(measurements.empty() || is_collection(measurements) ? stem(first) : stem(measurements));
  std::set<std::string> names;
  for (const Contender& c : methods) {
    for (const auto& entry : c.files) names.insert(entry.first);
  }
  const std::vector<std::string> captures(names.begin(), names.end());
  std::string figures;
  ProgressLine progress("reporting");
  for (std::size_t s = 0; s < captures.size(); ++s) {
    progress.update(static_cast<double>(s) / static_cast<double>(captures.size()));
    const SceneContent scene = content(captures[s], "", methods);
    if (s == 0) {
      for (Contender& c : methods) add_cost(c.column, scene.reference());
    }
    figures += scene_section(scene);
  }
  std::vector<MethodColumn> columns;
  for (const Contender& c : methods) columns.push_back(c.column);
  CaptureTable table(columns, captures);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    for (std::size_t s = 0; s < captures.size(); ++s) {
      const auto told = methods[m].told.find(captures[s]);
      if (told != methods[m].told.end()) table.set(m, s, told->second.misfit, told->second.seconds);
    }
  }
  clear_progress_line();
  write(fmt::format("<p class=\"lead\">{} on {} of which the truth is not known.</p>\n<div class=\"holder\">{}</div>\n",
                    plural(methods.size(), "method"), plural(captures.size(), "capture"), table.html()),
        figures);
  write_tables(table.csv(), table.latex(), table.markdown());
}

void Report::run() const {
  if (!no_truth && truth.empty()) {
    throw InputError("report", "TRUTH", "the truth, a folder or a cube (of captures there is none: --no-truth)",
                     "none");
  }
  no_truth ? compare_captures() : compare_with_truth();
  fmt::print("{}\n", output);
}

}  // namespace

void add_report(CLI::App& program) {
  auto command = std::make_shared<Report>();
  CLI::App* sub = program.add_subcommand("report", "make one page of tables and figures from reconstructions");
  sub->add_option("PRED", command->first, "reconstructions: a folder or a cube, or NAME=FOLDER")->required();
  sub->add_option("TRUTH", command->truth, "the truth: a folder or a cube; with --no-truth another method");
  sub->add_option("MORE", command->more, "more methods, as PRED");
  sub->add_flag("--no-truth", command->no_truth, "the cubes are of captures: all folders are methods");
  sub->add_option("-o,--output", command->output, "the page (.html)")->required();
  sub->add_option("--csv", command->csv, "also write all scores as comma-separated values");
  sub->add_option("--latex", command->latex, "also write the table for LaTeX");
  sub->add_option("--markdown", command->markdown, "also write the table as Markdown");
  sub->add_option("--title", command->title, "heading of the page")->capture_default_str();
  sub->add_option("--measurements", command->measurements, "the camera's measurements: a folder, or one file");
  sub->add_option("--protocol", command->protocol, "protocol of PSNR and SSIM: toolbox, uint8, float")
      ->capture_default_str();
  const auto repeated = [](CLI::Option* option) { option->take_all()->type_size(1)->allow_extra_args(false); };
  repeated(sub->add_option("--times", command->times, "NAME=FILE: times and misfits of a method; may be repeated"));
  repeated(sub->add_option("--sparsity", command->sparsity,
                           "NAME=FOLDER: pictures of `reconstruct --sparsity-map`, called SCENE.png; may be repeated"));
  repeated(sub->add_option("--region", command->regions,
                           "TOP,LEFT,HEIGHT,WIDTH: plot the spectra there (default: picked); may be repeated"));
  repeated(sub->add_option("--note", command->notes, "a sentence below the table; may be repeated"));
  sub->add_option("--detail", command->detail, "TOP,LEFT,HEIGHT,WIDTH: zoom into this (default: picked)");
  sub->add_option("--bands", command->shown_bands, "wavelengths in nm of the bands to show (default: four)");
  command->read.add_to(*sub);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
