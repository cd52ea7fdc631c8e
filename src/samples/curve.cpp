#include "samples/curve.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "render/line_plot.h"

namespace snapcube {

namespace {

constexpr Ink kTraining = {0.62, 0.72, 0.82};
constexpr Ink kValidation = {0.80, 0.27, 0.13};

void draw(const Course& course, double Course::Moment::*over, const char* title, const char* label,
          const std::filesystem::path& png) {
  const auto line = [over](const char* name, const Ink& ink, const std::vector<Course::Moment>& moments, bool marked) {
    PlotLine result{.name = name, .ink = ink, .points = {}, .marked = marked};
    for (const Course::Moment& m : moments) result.points.push_back({m.*over, m.psnr});
    return result;
  };
  write_png(draw_plot({.title = title,
                       .x_label = label,
                       .y_label = "dB",
                       .lines = {line("batches", kTraining, course.batches, false),
                                 line("validation", kValidation, course.validations, true)}}),
            png.string());
}

}  // namespace

Course read_course(const std::filesystem::path& log) {
  Course course;
  double cores = 1;
  double previous = 0;
  double core_hours = 0;
  std::ifstream file(log);
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step")) continue;
    const double step = line["step"].get<double>();
    if (line.contains("started")) {
      cores = line["started"].value("ranks", 1.0) * std::max(1.0, line["started"].value("threads", 1.0));
      previous = step;
    }
    if (line.contains("seconds_per_step")) {
      core_hours += std::max(0.0, step - previous) * line["seconds_per_step"].get<double>() * cores / 3600;
      previous = step;
    }
    if (line.contains("psnr")) course.batches.push_back({step, core_hours, line["psnr"].get<double>()});
    if (line.contains("validation")) {
      course.validations.push_back({step, core_hours, line["validation"]["psnr"].get<double>()});
    }
  }
  return course;
}

void write_curves(const std::filesystem::path& log, const std::filesystem::path& folder) {
  const Course course = read_course(log);
  draw(course, &Course::Moment::step, "PSNR over the steps of the run", "step", folder / "curve.png");
  draw(course, &Course::Moment::core_hours, "PSNR over the time of the run", "hours of one core",
       folder / "curve_hours.png");
}

}  // namespace snapcube
