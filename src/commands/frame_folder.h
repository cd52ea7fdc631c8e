#pragma once
// A folder of cubes that is being filled: which frames are this process's, which of them are done, what became of each.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rank_variables.h"
#include "commands/frame_journal.h"
#include "commands/frame_run.h"
#include "commands/frame_summary.h"

namespace snapcube {

struct FrameFolderOptions {
  std::vector<FrameJob> jobs;  ///< of all processes
  std::string output;
  std::string key;      ///< of what the cubes depend on beside their frames
  RankVariables share;  ///< process r of n takes every n-th frame, from the r-th on
  bool again = false;   ///< what is done is done again
};

class FrameFolder {
 public:
  /// Finds out what is to be done, and clears away what killed processes have left half-written. Throws Error where
  /// another process with the same share is at work.
  explicit FrameFolder(FrameFolderOptions options);

  RankVariables share() const { return options_.share; }
  /// This process's frames of which there is no cube yet.
  const std::vector<FrameJob>& open_jobs() const { return open_; }
  /// This process's frames that an earlier run has done.
  const std::vector<std::pair<FrameJob, FrameRecord>>& done_before() const { return done_before_; }

  /// Notes what became of open_jobs()[job]; its cube is in place.
  void settle(std::size_t job, const FrameOutcome& outcome);
  /// Of this process's frames, or of all as far as is known now.
  FrameSummary summary(const std::string& method, bool of_all);

 private:
  bool is_own(std::size_t job) const;
  bool is_done(const FrameJob& job, const FrameRecord& record, const std::optional<FileState>& state) const;
  void clear_away() const;

  FrameFolderOptions options_;
  FrameJournal journal_;
  std::vector<FrameJob> open_;
  std::vector<FileState> states_;  ///< of the inputs of open_, before they were read
  std::vector<std::pair<FrameJob, FrameRecord>> done_before_;
};

}  // namespace snapcube
