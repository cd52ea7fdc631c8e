#include "commands/frame_summary.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "io/collection.h"

namespace snapcube {

namespace {

constexpr const char* kDone = "done";
constexpr const char* kFailed = "failed";
constexpr const char* kLeft = "left";

/// In quotes where it has to be (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string extension_of(const std::string& path) { return lower(std::filesystem::path(path).extension().string()); }

}  // namespace

void check_summary_name(const std::string& path, const std::string& option) {
  const std::string extension = extension_of(path);
  if (extension == ".csv" || extension == ".json") return;
  throw InputError(option, "", "a file that ends in .csv or .json", fmt::format("'{}'", path));
}

void FrameSummary::add(FrameRecord record) {
  const char* status = record.failed() ? kFailed : kDone;
  ++(record.failed() ? failed_ : done_);
  rows_.push_back({std::move(record), status});
}

void FrameSummary::add_left(const std::string& input, const std::string& output) {
  rows_.push_back({{.input = input, .output = output, .key = {}, .state = {}}, kLeft});
}

std::vector<const FrameRecord*> FrameSummary::failures() const {
  std::vector<const FrameRecord*> result;
  for (const Row& row : rows_) {
    if (row.record.failed()) result.push_back(&row.record);
  }
  return result;
}

std::vector<FrameSummary::Misfit> FrameSummary::misfits() const {
  std::vector<Misfit> result;
  for (const Row& row : rows_) {
    if (row.status == kDone && std::isfinite(row.record.misfit)) result.push_back({row.record.misfit, &row.record});
  }
  std::ranges::sort(result, {}, &Misfit::value);
  return result;
}

std::string FrameSummary::text() const {
  std::string text = fmt::format("{} of {} frames done", done_, frames());
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  if (left() > 0) text += fmt::format(", {} left", left());
  const std::vector<Misfit> values = misfits();
  if (!values.empty()) {
    text += fmt::format("; misfit {:.3f} in the middle, {:.3f} at most ({})", values[values.size() / 2].value,
                        values.back().value, stem(values.back().frame->input));
  }
  return text;
}

std::string FrameSummary::csv() const {
  std::string text = "frame,cube,status,misfit,seconds,saturated_pixels,bad_pixels,error\n";
  for (const Row& row : rows_) {
    const FrameRecord& r = row.record;
    text += fmt::format("{},{},{},", csv_field(r.input), csv_field(r.output), row.status);
    if (row.status == kDone) {
      const std::string misfit = std::isfinite(r.misfit) ? fmt::format("{:.6g}", r.misfit) : "";
      text += fmt::format("{},{:.6g},{},{},", misfit, r.seconds, r.saturated, r.bad);
    } else {
      text += ",,,,";
    }
    text += csv_field(r.error) + "\n";
  }
  return text;
}

std::string FrameSummary::json() const {
  const std::vector<Misfit> values = misfits();
  nlohmann::ordered_json root = {
      {"method", method_}, {"frames", frames()}, {"done", done_}, {"failed", failed_}, {"left", left()}};
  if (!values.empty()) {
    root["misfit"] = {{"median", values[values.size() / 2].value},
                      {"largest", values.back().value},
                      {"largest_frame", values.back().frame->input}};
  }
  root["results"] = nlohmann::ordered_json::array();
  for (const Row& row : rows_) {
    const FrameRecord& r = row.record;
    nlohmann::ordered_json entry = {{"frame", r.input}, {"cube", r.output}, {"status", row.status}};
    if (row.status == kDone) {
      entry["misfit"] = r.misfit;  // null for a black frame
      entry["seconds"] = r.seconds;
      entry["saturated_pixels"] = r.saturated;
      entry["bad_pixels"] = r.bad;
    }
    if (r.failed()) entry["error"] = r.error;
    root["results"].push_back(entry);
  }
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void FrameSummary::write(const std::string& path) const {
  write_text(path, extension_of(path) == ".json" ? json() : csv());
}

}  // namespace snapcube
