// snapcube compare: scenes, a mask, and every method that can run here: the table and the figures of a paper.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "base/atomic_file.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "commands/run_self.h"
#include "commands/white_flags.h"
#include "io/collection.h"
#include "models/networks.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube compare kaist/ --mask kaist/mask.mat -o comparison
  snapcube compare kaist/ --mask kaist/mask.mat --methods gap-tv,twist,cst-s,MST-S=mst_s.pth -o comparison
  snapcube compare scene.mat --mask mask.mat --methods gap-tv,desci,dip-hsi --noise shot11 -o comparison
  snapcube compare --no-truth shots/ --camera camera.h5 --flip rows --white white.tif -o comparison

`all` runs every solver and every installed model. The report lists networks without weights, but gives no figures for them.
NAME=FILE adds a model that is not installed. DIP-HSI takes minutes for each scene and runs only if it is named.
A method that has finished is not run again; to repeat it, remove its file in FOLDER/times.

With --no-truth the files are captures, as `reconstruct` takes them: nothing is simulated or scored, and the report has
pictures, spectra, times and misfits side by side.)";

/// A column of the comparison.
struct Method {
  std::string title;                ///< "CST-S"
  std::vector<std::string> choice;  ///< what `reconstruct` is told: --method gap-tv, --model cst-s
};

struct Compare {
  std::vector<std::string> scenes;
  std::string mask;
  std::string camera;
  std::string methods = "all";
  std::string folder;
  std::string noise = "none";
  std::string seed = "1";
  std::string step;
  std::string axis;
  std::string offsets;
  std::string bands;
  bool no_truth = false;
  std::string title = "Methods compared";
  ReadOptions read;
  FrameFlags frames;
  WhiteFlags white;

  void run() const;

 private:
  std::vector<std::string> files_in(const std::string& source) const;
  std::vector<std::string> scene_files() const;
  std::vector<Method> chosen() const;
  void simulate(const std::string& scene, const Image& aperture) const;
  void reconstruct(const Method& method, const std::vector<std::string>& shots) const;
  void report(const std::vector<Method>& ran, const std::vector<std::string>& shots) const;
  /// The camera as `simulate` and `reconstruct` are told of it; the number of bands follows from the scenes.
  void add_camera(std::vector<std::string>& call) const;
  void add_limit(std::vector<std::string>& call) const;
  std::string in(const std::string& part) const { return (fs::path(folder) / part).string(); }
};

/// As papers write it.
std::string title_of(const std::string& name) {
  for (const MethodInfo& m : methods()) {
    if (m.name == name) return m.title;
  }
  return network_title(name);
}

Method method_named(const std::string& text) {
  const auto equals = text.find('=');
  if (equals != std::string::npos && equals > 0) {
    return {text.substr(0, equals), {"--model", text.substr(equals + 1)}};
  }
  const std::string name = lower(text);
  const auto& solvers = methods();
  const bool solver = std::ranges::find(solvers, name, &MethodInfo::name) != solvers.end();
  const NetworkInfo* network = find_network(name);
  const bool without_weights = solver || (network && network->self_supervised);
  return {title_of(name), {without_weights ? "--method" : "--model", name}};
}

std::vector<Method> Compare::chosen() const {
  std::vector<Method> list;
  for (const std::string& text : split(methods, ',')) {
    if (trim(text) != "all") {
      list.push_back(method_named(std::string(trim(text))));
      continue;
    }
    for (const MethodInfo& m : snapcube::methods()) list.push_back(method_named(m.name));
    for (const ModelInfo& m : installed_models()) {
      if (m.error.empty()) list.push_back(method_named(m.name));
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (list[i].title == list[j].title) throw InputError("--methods", "", "every method once", list[i].title);
    }
  }
  return list;
}

std::vector<std::string> Compare::files_in(const std::string& source) const {
  std::error_code status;
  if (no_truth)
    return fs::is_directory(source, status) ? frame_files(source, frames.without_header()) : std::vector{source};
  return is_collection(source) ? collection(source) : std::vector{source};
}

/// A folder of scenes may hold its mask, too.
std::vector<std::string> Compare::scene_files() const {
  std::vector<std::string> files;
  for (const std::string& source : scenes) {
    for (const std::string& file : files_in(source)) {
      std::error_code ignored;
      if (!fs::equivalent(file, mask, ignored)) files.push_back(file);
    }
  }
  if (files.empty()) throw InputError("compare", "scenes", "at least one", "none");
  return files;
}

/// The measurement, and the part of the scene that the camera sees: its middle.
void Compare::simulate(const std::string& scene, const Image& aperture) const {
  const std::string name = stem(scene) + ".mat";
  if (fs::exists(in("shots/" + name)) && fs::exists(in("truth/" + name))) return;
  const Cube cube = read_cube(scene, read);
  if (cube.height() < aperture.height() || cube.width() < aperture.width()) {
    throw InputError(scene, "scene",
                     "at least " + shape_text(aperture.height(), aperture.width()) + ", the mask's size",
                     shape_text(cube.height(), cube.width()));
  }
  std::vector<std::string> call = {
      "simulate",
      scene,
      camera.empty() ? "--mask" : "--camera",
      camera.empty() ? mask : camera,
      "--noise",
      noise,
      "--seed",
      seed,
      "--crop",
      fmt::format("{},{},{},{}", (cube.height() - aperture.height()) / 2, (cube.width() - aperture.width()) / 2,
                  aperture.height(), aperture.width()),
      "-o",
      in("shots/" + name),
      "--save-truth",
      in("truth/" + name),
      "-q"};
  add_camera(call);
  add_limit(call);
  run_self(call);
}

void Compare::add_camera(std::vector<std::string>& call) const {
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) call.insert(call.end(), {option, value});
  };
  add("--step", step);
  add("--axis", axis);
  add("--offsets", offsets);
}

/// In bytes; nothing unless it was given, because networks have a default of their own.
void Compare::add_limit(std::vector<std::string>& call) const {
  if (read.max_bytes == ReadOptions().max_bytes) return;
  call.insert(call.end(), {"--max-memory", std::to_string(read.max_bytes)});
}

bool is_complete(const std::string& times, std::size_t scene_count) {
  std::ifstream stream(times);
  const auto root = nlohmann::json::parse(stream, nullptr, false);
  return root.is_object() && root.contains("results") && root["results"].size() == scene_count;
}

void Compare::reconstruct(const Method& method, const std::vector<std::string>& shots) const {
  const std::string times = in("times/" + method.title + ".json");
  if (is_complete(times, shots.size())) {
    log_info(fmt::format("{}: already done", method.title));
    return;
  }
  log_info(fmt::format("{} …", method.title));
  std::vector<std::string> call = {"reconstruct"};
  const std::string cubes = in("cubes/" + method.title);
  if (no_truth) {
    call.insert(call.end(), shots.begin(), shots.end());
  } else {
    call.push_back(in("shots"));
  }
  call.insert(call.end(), {camera.empty() ? "--mask" : "--camera", camera.empty() ? mask : camera, "--json", "-o"});
  if (no_truth && shots.size() == 1) {  // a single cube is a file
    fs::create_directories(cubes);
    call.push_back((fs::path(cubes) / (stem(shots.front()) + ".mat")).string());
  } else {
    call.push_back(cubes);
  }
  call.insert(call.end(), method.choice.begin(), method.choice.end());
  for (const std::string& word : frames.arguments()) call.push_back(word);
  for (const std::string& word : white.arguments()) call.push_back(word);
  add_camera(call);
  add_limit(call);
  if (!bands.empty()) {
    call.insert(call.end(), {"--bands", bands});
  } else if (!no_truth && method.choice.front() == "--method" && offsets.empty() && camera.empty()) {
    // A solver takes any camera; what the scenes have is in the truth.
    const std::vector<std::string> truths = collection(in("truth"));
    call.insert(call.end(), {"--bands", std::to_string(read_cube(truths.front(), read).bands())});
  }
  write_text(times, run_self(call));
}

/// Networks of the paper that nobody has weights for.
std::string missing_note(const std::vector<Method>& ran) {
  std::vector<std::string> missing;
  const auto note = [&](const std::string& name, const std::string& title) {
    const bool there = std::ranges::any_of(ran, [&](const Method& m) { return m.title == title || m.title == name; });
    if (!there) missing.push_back(title);
  };
  for (const NetworkInfo& network : other_networks()) {
    if (!network.self_supervised) note(network.name, network.title);
  }
  for (const std::string& name : cst_variant_names()) note(name, network_title(name));
  return missing.empty() ? "" : fmt::format("Without weights here, so not compared: {}.", fmt::join(missing, ", "));
}

void Compare::report(const std::vector<Method>& ran, const std::vector<std::string>& shots) const {
  std::vector<std::string> call = {"report"};
  for (std::size_t i = 0; i < ran.size(); ++i) {
    call.push_back(fmt::format("{}={}", ran[i].title, in("cubes/" + ran[i].title)));
    if (i == 0 && !no_truth) call.push_back(in("truth"));
  }
  if (no_truth) call.emplace_back("--no-truth");
  for (const Method& m : ran) {
    call.insert(call.end(), {"--times", fmt::format("{}={}", m.title, in("times/" + m.title + ".json"))});
  }
  // Frames without a header, or from several places, are not shown.
  const bool in_one_place = shots.size() == 1 || scenes.size() == 1;
  const std::string measured = !no_truth ? in("shots") : shots.size() == 1 ? shots.front() : scenes.front();
  if (!no_truth || (in_one_place && !frames.without_header())) call.insert(call.end(), {"--measurements", measured});
  call.insert(call.end(), {"--title", title, "-o", in("report.html"), "--csv", in("scores.csv"), "--latex",
                           in("table.tex"), "--markdown", in("table.md")});
  add_limit(call);
  if (const std::string note = missing_note(ran); !note.empty()) call.insert(call.end(), {"--note", note});
  fmt::print("{}", run_self(call));
}

void Compare::run() const {
  const std::vector<Method> wanted = chosen();
  const std::vector<std::string> files = scene_files();
  if (mask.empty() == camera.empty()) {
    throw InputError("compare: expected either --mask FILE or --camera FILE, found " +
                     std::string(mask.empty() ? "neither" : "both"));
  }
  const Image aperture = camera.empty() ? read_mask(mask, read) : read_camera(camera, read).camera().mask();
  if (!no_truth && !(frames.arguments().empty() && white.arguments().empty() && bands.empty())) {
    throw InputError("compare", "", "--no-truth, where frames are captures", "options for captures");
  }
  for (const char* part : {"cubes", "times"}) fs::create_directories(in(part));
  if (!no_truth) {
    for (const char* part : {"shots", "truth"}) fs::create_directories(in(part));
    for (const std::string& file : files) simulate(file, aperture);
  }
  std::vector<Method> ran;
  std::vector<std::string> failed;
  for (const Method& method : wanted) {
    stop_if_interrupted();
    try {
      reconstruct(method, files);
      ran.push_back(method);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      log_warning(fmt::format("{}: {}", method.title, error.what()));
      failed.push_back(method.title);
    }
  }
  if (ran.empty()) throw Error("no method could be run");
  report(ran, files);
  if (!failed.empty()) {
    log_warning(fmt::format("not in the report, because they failed: {}", fmt::join(failed, ", ")));
    set_exit_code(1);
  }
}

}  // namespace

void add_compare(CLI::App& program) {
  auto command = std::make_shared<Compare>();
  CLI::App* sub = program.add_subcommand("compare", "run every method on your scenes; make tables and figures");
  sub->add_option("SCENES", command->scenes, "scenes, or captures: files, or folders of them")->required();
  sub->add_flag("--no-truth", command->no_truth, "the files are captures: nobody knows what they should look like");
  sub->add_option("--mask", command->mask, "the coded aperture");
  sub->add_option("--camera", command->camera, "a camera file (.h5) in place of a mask");
  sub->add_option("--methods", command->methods, "names of methods and models, NAME=FILE, separated by commas; all")
      ->capture_default_str();
  sub->add_option("-o,--output", command->folder, "folder for everything")->required();
  sub->add_option("--noise", command->noise, "as in `snapcube simulate`")->capture_default_str();
  sub->add_option("--seed", command->seed, "seed of the noise")->capture_default_str();
  sub->add_option("--step", command->step, "pixels from one band to the next on the detector (default: 2)");
  sub->add_option("--axis", command->axis, "direction of the dispersion: columns or rows");
  sub->add_option("--offsets", command->offsets, "measured position of every band in pixels, in place of --step");
  sub->add_option("--bands", command->bands, "number of bands of captures (default: 28, or the camera's)")
      ->check(CLI::Range(1, 100000));
  sub->add_option("--title", command->title, "heading of the page")->capture_default_str();
  command->frames.add_to(*sub);
  command->white.add_to(*sub);
  add_max_memory(*sub, command->read.max_bytes);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
