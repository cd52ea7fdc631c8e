#include "commands/frame_folder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include <snapcube/log.h>

#include "io/location.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

std::string cube_name(const FrameJob& job) { return fs::path(job.output).filename().string(); }

/// There, or not asked for.
bool is_there(const std::string& path) {
  std::error_code status;
  return path.empty() || fs::exists(path, status);
}

}  // namespace

FrameFolder::FrameFolder(FrameFolderOptions options)
    : options_(std::move(options)), journal_(options_.output, options_.share) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < options_.jobs.size(); ++i) {
    if (!is_own(i)) continue;
    const FrameJob& job = options_.jobs[i];
    const std::optional<FileState> state = file_state(io::parse_location(job.input).path);
    const FrameRecord* record = options_.again ? nullptr : journal_.find(cube_name(job));
    if (record && is_done(job, *record, state)) {
      done_before_.emplace_back(job, *record);
      continue;
    }
    changed += record && !record->failed() && is_there(job.output);
    open_.push_back(job);
    states_.push_back(state.value_or(FileState{}));
  }
  if (!done_before_.empty()) {
    log_info(fmt::format("{} of {} cubes are done already (--again makes them anew)", done_before_.size(),
                         done_before_.size() + open_.size()));
  }
  if (changed > 0) {
    log_info(fmt::format("{} cubes are made again, because their frames or the settings have changed", changed));
  }
  clear_away();
}

bool FrameFolder::is_own(std::size_t job) const {
  return job % static_cast<std::size_t>(options_.share.size) == static_cast<std::size_t>(options_.share.rank);
}

bool FrameFolder::is_done(const FrameJob& job, const FrameRecord& record, const std::optional<FileState>& state) const {
  return !record.failed() && record.key == options_.key && state && record.state == *state && is_there(job.output) &&
         is_there(job.preview) && is_there(job.sparsity_map) && is_there(job.expected_error);
}

void FrameFolder::clear_away() const {
  std::set<std::string> stems;
  std::set<std::string> folders = {options_.output};
  for (const FrameJob& job : open_) {
    stems.insert(fs::path(job.output).stem().string());
    for (const std::string& picture : {job.preview, job.sparsity_map, job.expected_error}) {
      if (!picture.empty()) folders.insert(fs::path(picture).parent_path().string());
    }
  }
  for (const std::string& folder : folders) journal_.remove_leftovers(folder, stems);
}

void FrameFolder::settle(std::size_t job, const FrameOutcome& outcome) {
  journal_.add({.input = open_[job].input,
                .output = cube_name(open_[job]),
                .key = options_.key,
                .state = states_[job],
                .seconds = outcome.seconds,
                .misfit = outcome.misfit,
                .saturated = outcome.saturated,
                .bad = outcome.bad,
                .error = outcome.error});
}

FrameSummary FrameFolder::summary(const std::string& method, bool of_all) {
  if (of_all) journal_.update();
  FrameSummary summary(method);
  for (std::size_t i = 0; i < options_.jobs.size(); ++i) {
    if (!of_all && !is_own(i)) continue;
    const FrameJob& job = options_.jobs[i];
    const FrameRecord* record = journal_.find(cube_name(job));
    if (record && record->key == options_.key && (record->failed() || is_there(job.output))) {
      summary.add(*record);
    } else {
      summary.add_left(job.input, cube_name(job));
    }
  }
  return summary;
}

}  // namespace snapcube
