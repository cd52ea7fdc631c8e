#include "commands/watch_report.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <snapcube/log.h>

#include "base/terminal.h"
#include "commands/description.h"

namespace snapcube {

namespace {

using Json = nlohmann::ordered_json;

/// Whoever reads the lines wants each when it happens.
void print_line(const std::string& line) {
  clear_progress_line();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void print_line(const Json& json) { print_line(json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

double seconds(live::Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::string count_text(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

void WatchReport::begin(const std::string& source, const std::string& method, const Camera& camera,
                        const std::string& address) {
  if (json_) {
    Json line = {{"event", "start"}, {"source", source}, {"method", method}, {"bands", camera.bands()}};
    if (!address.empty()) line["address"] = address;
    print_line(line);
    return;
  }
  if (!address.empty()) print_line(address);
  log_info(fmt::format("{}, camera of {}", method, camera_text(camera)));
  log_info(fmt::format("watching {}; Ctrl-C ends it", source));
}

void WatchReport::cube(const WatchedCube& done, std::size_t waiting) {
  ++cubes_;
  rate_.add(done.arrived, done.done);
  if (json_) {
    Json line = {{"event", "cube"}, {"input", done.input}};
    if (!done.output.empty()) line["output"] = done.output;
    line["seconds"] = done.seconds;
    line["latency"] = seconds(done.done - done.arrived);
    if (done.shown) line["shown"] = *done.shown;
    line["misfit"] = done.misfit;  // null for a black measurement
    if (done.saturated > 0) line["saturated"] = done.saturated;
    if (done.bad > 0) line["bad"] = done.bad;
    line["per_second"] = rate_.per_second(done.done);
    line["waiting"] = waiting;
    line["dropped"] = dropped_;
    print_line(line);
    return;
  }
  print_line(fmt::format("{}  ({})", done.output.empty() ? done.input : done.output, duration_text(done.seconds)));
}

void WatchReport::passed_over(const std::string& input, const std::string& why) {
  ++passed_over_;
  if (json_) {
    print_line(Json{{"event", "passed over"}, {"input", input}, {"why", why}});
  } else {
    log_warning(fmt::format("passed over: {}", why.starts_with(input) ? why : input + ": " + why));
  }
}

void WatchReport::dropped(const std::string& input) {
  ++dropped_;
  if (json_) print_line(Json{{"event", "dropped"}, {"input", input}});
}

void WatchReport::status(std::size_t waiting, std::optional<double> done) {
  std::string line = count_text(cubes_, "cube", "cubes");
  if (done) line += fmt::format(" · the next {:.0f} %", 100 * *done);
  const double rate = rate_.per_second(live::Clock::now());
  if (rate > 0) line += fmt::format(" · {:.1f}/s", rate);
  if (cubes_ > 0) line += fmt::format(" · latency {}", duration_text(rate_.latency()));
  if (waiting > 0) line += fmt::format(" · {} waiting", waiting);
  if (dropped_ > 0) line += fmt::format(" · {} dropped", dropped_);
  if (passed_over_ > 0) line += fmt::format(" · {} passed over", passed_over_);
  show_progress_line(line);
}

void WatchReport::end(bool interrupted) {
  clear_progress_line();
  if (json_) {
    print_line(Json{{"event", "end"},
                    {"cubes", cubes_},
                    {"dropped", dropped_},
                    {"passed_over", passed_over_},
                    {"latency", rate_.latency()},
                    {"interrupted", interrupted}});
    return;
  }
  std::string line = count_text(cubes_, "cube", "cubes");
  if (dropped_ > 0) line += fmt::format(", {} dropped", count_text(dropped_, "frame", "frames"));
  if (passed_over_ > 0) line += fmt::format(", {} passed over", passed_over_);
  log_info(line);
}

}  // namespace snapcube
