#include "train/curve.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "render/line_plot.h"

namespace snapcube {

namespace {

constexpr Ink kTraining = {0.62, 0.72, 0.82};
constexpr Ink kValidation = {0.80, 0.27, 0.13};

}  // namespace

void write_curve(const std::filesystem::path& log, const std::filesystem::path& png) {
  PlotLine training{.name = "batches", .ink = kTraining, .points = {}};
  PlotLine validation{.name = "validation", .ink = kValidation, .points = {}, .marked = true};
  std::ifstream file(log);
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step")) continue;
    const double step = line["step"].get<double>();
    if (line.contains("psnr")) training.points.push_back({step, line["psnr"].get<double>()});
    if (line.contains("validation")) validation.points.push_back({step, line["validation"]["psnr"].get<double>()});
  }
  write_png(draw_plot({.title = "PSNR over the steps of the run",
                       .x_label = "step",
                       .y_label = "dB",
                       .lines = {std::move(training), std::move(validation)}}),
            png.string());
}

}  // namespace snapcube
