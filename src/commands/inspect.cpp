// snapcube inspect: what is in this file?

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include <snapcube/snapcube.h>

#include "base/printable.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/terminal_view.h"
#include "metrics/mean_spectrum.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube inspect scene01.mat
  snapcube inspect results.mat:pred[3]
  snapcube inspect mask.mat --as mask          is this mask usable?
  snapcube inspect beads_ms/ shot.tif --json
  snapcube inspect camera.h5 --show            a camera file, and its mask
  snapcube inspect cube.mat --show             colours and spectrum, here in the terminal)";

struct Inspect {
  std::vector<std::string> files;
  std::string as = "auto";
  bool json = false;
  std::string show;  ///< how; empty: not
  ReadFlags read;

  void run() const;
};

struct Statistics {
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  double above_one = 0;  ///< share
};

Statistics statistics(std::span<const float> values) {
  Statistics s{values[0], values[0], 0, 0};
  for (const float v : values) {
    s.minimum = std::min(s.minimum, static_cast<double>(v));
    s.maximum = std::max(s.maximum, static_cast<double>(v));
    s.mean += v;
    s.above_one += v > 1;
  }
  s.mean /= static_cast<double>(values.size());
  s.above_one /= static_cast<double>(values.size());
  return s;
}

/// One block character per value, the largest full height; of more values than a line holds, evenly chosen ones.
std::string spark(const std::vector<double>& values) {
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kMost = 64;
  const double most = *std::ranges::max_element(values);
  const std::size_t shown = std::min(values.size(), kMost);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const double v = values[i * values.size() / shown];
    text += kBlocks[std::clamp(most > 0 ? static_cast<int>(v / most * 8) : 0, 0, 7)];
  }
  return text;
}

/// The values, if the file holds a cube or an image without doubt.
using Content = std::variant<std::monostate, Cube, Image>;

Content content(const std::string& file, const std::string& as, const ReadOptions& options, std::string& problem) {
  const auto attempt = [&](auto reader) -> Content {
    try {
      return reader(file, options);
    } catch (const InputError& error) {
      problem = error.what();
      return {};
    }
  };
  const auto found = [](const Content& content) { return !std::holds_alternative<std::monostate>(content); };
  if (as == "mask") return read_mask(file, options);
  if (as == "measurement") return read_measurement(file, options);
  if (as == "cube") return read_cube(file, options);
  if (Content cube = attempt(read_cube); found(cube)) return cube;
  const std::string cube_problem = problem;
  if (Content image = attempt(read_measurement); found(image)) return image;
  if (Content mask = attempt(read_mask); found(mask)) return mask;
  problem = cube_problem;
  return {};
}

bool looks_like_mask(const FileInfo& info, const std::string& as) {
  return as == "mask" || (as == "auto" && lower(info.path).find("mask") != std::string::npos);
}

nlohmann::ordered_json file_json(const FileInfo& info) {
  nlohmann::ordered_json root = {{"path", info.path}, {"format", info.format}};
  for (const ArrayInfo& a : info.arrays) {
    root["arrays"].push_back({{"name", a.name}, {"shape", a.shape}, {"type", a.type}, {"readable", a.readable}});
  }
  if (!info.wavelengths.empty()) root["wavelengths"] = info.wavelengths;
  return root;
}

nlohmann::ordered_json statistics_json(const Statistics& s) {
  return {{"minimum", s.minimum}, {"maximum", s.maximum}, {"mean", s.mean}, {"share_above_one", s.above_one}};
}

nlohmann::ordered_json mask_json(const MaskReport& m) {
  return {{"usable", m.usable},       {"binary", m.binary},         {"mean", m.mean},
          {"deviation", m.deviation}, {"open_share", m.open_share}, {"findings", m.findings}};
}

void print_statistics(const Statistics& s) {
  fmt::print("  values       {:.5g} … {:.5g}, mean {:.5g}", s.minimum, s.maximum, s.mean);
  if (s.above_one > 0) fmt::print(", {:.1f} % above 1", 100 * s.above_one);
  fmt::print("\n");
}

void print_mask(const MaskReport& m) {
  fmt::print("  as a mask    {}, {}, {:.0f} % open\n", m.usable ? "usable" : "NOT usable", m.binary ? "binary" : "grey",
             100 * m.open_share);
  for (const std::string& finding : m.findings) fmt::print("               {}\n", finding);
}

void print_file(const FileInfo& info) {
  fmt::print("{}\n  format       {}\n", printable(info.path), info.format);
  for (const ArrayInfo& a : info.arrays) {
    fmt::print("  array        {}{} {}{}\n", a.name.empty() ? "" : printable(shortened(a.name)) + ": ",
               shape_text(a.shape), a.type, a.readable ? "" : " (cannot be read)");
  }
}

void print_cube(const Cube& cube) {
  fmt::print("  as a cube    {} bands of {}\n", cube.bands(), shape_text(cube.height(), cube.width()));
  if (cube.wavelengths.empty()) {
    fmt::print("  wavelengths  unknown\n");
  } else {
    fmt::print("  wavelengths  {:g} … {:g} nm\n", cube.wavelengths.front(), cube.wavelengths.back());
  }
  print_statistics(statistics(cube.values()));
  fmt::print("  mean spectrum {}\n", spark(mean_spectrum(cube)));
}

nlohmann::ordered_json describe_as_json(const FileInfo& info, const Content& found, bool mask,
                                        const std::string& problem) {
  nlohmann::ordered_json root = file_json(info);
  if (const auto* cube = std::get_if<Cube>(&found)) {
    root["cube"] = statistics_json(statistics(cube->values()));
    root["cube"]["bands"] = cube->bands();
    root["cube"]["height"] = cube->height();
    root["cube"]["width"] = cube->width();
    root["cube"]["wavelengths"] = cube->wavelengths;
    root["cube"]["mean_spectrum"] = mean_spectrum(*cube);
  } else if (const auto* image = std::get_if<Image>(&found)) {
    root["image"] = statistics_json(statistics(image->values()));
    root["image"]["height"] = image->height();
    root["image"]["width"] = image->width();
    if (mask) root["mask"] = mask_json(inspect_mask(*image));
  } else {
    root["problem"] = problem;
  }
  return root;
}

void print_as_text(const FileInfo& info, const Content& found, bool mask, const std::string& problem) {
  print_file(info);
  if (const auto* cube = std::get_if<Cube>(&found)) {
    print_cube(*cube);
  } else if (const auto* image = std::get_if<Image>(&found)) {
    fmt::print("  as an image  {}\n", shape_text(image->height(), image->width()));
    print_statistics(statistics(image->values()));
    if (mask) print_mask(inspect_mask(*image));
  } else {
    fmt::print("  values       not read: {}\n", problem);
  }
}

void print_picture(const Content& found, const std::string& how) {
  if (const auto* image = std::get_if<Image>(&found)) {
    fmt::print("\n{}", shown_in_terminal(*image, how));
  } else if (const auto* cube = std::get_if<Cube>(&found)) {
    fmt::print("\n{}", shown_in_terminal(*cube, how));
  }
}

nlohmann::ordered_json camera_json(const std::string& path, const CameraFile& camera) {
  const Camera device = camera.camera();
  const Detector& d = camera.detector;
  nlohmann::ordered_json root = {{"path", path}, {"format", "Snapcube camera"}};
  root["camera"] = {{"bands", camera.bands()},
                    {"height", device.height()},
                    {"width", device.width()},
                    {"detector_height", device.detector_height()},
                    {"detector_width", device.detector_width()},
                    {"masks", device.plain() ? 1 : camera.bands()},
                    {"axis", camera.axis == Axis::rows ? "rows" : "columns"},
                    {"wavelengths", camera.wavelengths},
                    {"positions", camera.positions},
                    {"curve", camera.curve},
                    {"band_gains", camera.band_gains},
                    {"black_level", d.black_level},
                    {"gain", d.gain},
                    {"read_noise", d.read_noise},
                    {"saturation", d.saturation},
                    {"binning", d.binning},
                    {"flip_rows", d.flip_rows},
                    {"flip_columns", d.flip_columns},
                    {"quarter_turns", d.quarter_turns},
                    {"bad_pixels", std::ranges::count_if(d.bad.values(), [](float v) { return v != 0; })},
                    {"provenance", camera.provenance}};
  if (d.region) root["camera"]["region"] = {d.region->top, d.region->left, d.region->height, d.region->width};
  root["mask"] = mask_json(inspect_mask(device.mask()));
  return root;
}

void print_camera(const std::string& path, const CameraFile& camera) {
  const Camera device = camera.camera();
  const Detector& d = camera.detector;
  fmt::print("{}\n  format       Snapcube camera\n", printable(path));
  fmt::print("  bands        {}{}\n", camera.bands(),
             camera.wavelengths.empty()
                 ? ""
                 : fmt::format(", {:g} … {:g} nm", camera.wavelengths.front(), camera.wavelengths.back()));
  fmt::print("  positions    {:.2f} … {:.2f} pixels along the {}{}\n", camera.positions.front(),
             camera.positions.back(), camera.axis == Axis::rows ? "rows" : "columns",
             camera.curve.empty() ? "" : fmt::format(", and a curve of degree {}", camera.curve.size() - 1));
  fmt::print("  mask         {} of {}, on a detector of {}\n", device.plain() ? "one" : "one a band",
             shape_text(device.height(), device.width()),
             shape_text(device.detector_height(), device.detector_width()));
  print_mask(inspect_mask(device.mask()));
  if (!camera.band_gains.empty()) fmt::print("  band gains   {}\n", spark(camera.band_gains));
  std::string detector = d.dark.empty() ? fmt::format("black {:g}", d.black_level) : "dark frame";
  if (d.saturation > 0) detector += fmt::format(", full at {:g} counts", d.saturation);
  if (d.gain > 0) detector += fmt::format(", {:.3g} e⁻ a count", d.gain);
  if (d.read_noise > 0) detector += fmt::format(", read noise {:.3g} e⁻", d.read_noise);
  if (!d.flat.empty()) detector += ", flat field";
  if (!d.bad.empty()) {
    detector += fmt::format(", {} bad pixels", std::ranges::count_if(d.bad.values(), [](float v) { return v != 0; }));
  }
  if (d.binning > 1) detector += fmt::format(", binned {0}×{0}", d.binning);
  if (d.flip_rows || d.flip_columns) {
    detector += fmt::format(", {} flipped", !d.flip_rows ? "columns" : !d.flip_columns ? "rows" : "rows and columns");
  }
  if (d.quarter_turns != 0) detector += fmt::format(", turned by {}°", 90 * d.quarter_turns);
  fmt::print("  detector     {}\n", detector);
  if (d.region) {
    fmt::print("  region       {} from row {}, column {}\n", shape_text(d.region->height, d.region->width),
               d.region->top, d.region->left);
  }
  for (const auto& [key, value] : camera.provenance) {
    fmt::print("  {:<12} {}\n", printable(shortened(key)), printable(shortened(value)));
  }
}

void Inspect::run() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : files) {
    if (as == "auto" && is_camera_file(file)) {
      const CameraFile camera = read_camera(file, read.options());
      if (json) {
        all.push_back(camera_json(file, camera));
      } else {
        print_camera(file, camera);
        if (!show.empty()) print_picture(camera.camera().mask(), show);
      }
      continue;
    }
    const FileInfo info = describe(file, read.options());
    std::string problem;
    const Content found = content(file, as, read.options(), problem);
    const bool mask = looks_like_mask(info, as);
    if (json) {
      all.push_back(describe_as_json(info, found, mask, problem));
    } else {
      print_as_text(info, found, mask, problem);
      if (!show.empty()) print_picture(found, show);
    }
  }
  if (json) {
    fmt::print("{}\n",
               (files.size() == 1 ? all[0] : all).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace

void add_inspect(CLI::App& program) {
  auto command = std::make_shared<Inspect>();
  CLI::App* sub = program.add_subcommand("inspect", "show what is in a file");
  sub->add_option("FILE", command->files, "files, file:variable, or folders of PNGs")->required();
  sub->add_option("--as", command->as, "how to read it: cube, measurement, mask")
      ->check(CLI::IsMember({"auto", "cube", "measurement", "mask"}))
      ->capture_default_str();
  auto* json = sub->add_flag("--json", command->json, "print JSON");
  sub->add_option("--show", command->show, "draw it in the terminal: auto, sixel, blocks")
      ->expected(0, 1)
      ->default_str("auto")
      ->check(CLI::IsMember({"auto", "sixel", "blocks"}))
      ->excludes(json);
  command->read.add_to(*sub);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
