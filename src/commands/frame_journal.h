#pragma once
// What is done of a folder of frames, so that the next run goes on where the last one ended, however it ended.
//
// OUTPUT/.snapcube/frames-RANK-of-SIZE.jsonl: a JSON object a line for every frame that a process has finished, written
// after its cube was renamed into place. Each process writes its own file and reads all.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/rank_variables.h"

namespace snapcube {

/// A file as it was when it was read.
struct FileState {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  bool operator==(const FileState&) const = default;
};
/// Nothing where there is no such file.
std::optional<FileState> file_state(const std::string& path);

/// What became of a frame.
struct FrameRecord {
  std::string input;   ///< where the frame is
  std::string output;  ///< the cube's file name in the folder
  std::string key;     ///< of camera, method and settings, see Fingerprint
  FileState state;     ///< of the input
  double seconds = 0;  ///< of the method
  double misfit = 0;   ///< see Camera::misfit; NaN for a black frame
  int saturated = 0;   ///< raw pixels that were left out
  int bad = 0;
  std::string error = {};  ///< why there is no cube; empty: there is one
  double finished = 0;     ///< seconds since 1970

  bool failed() const { return !error.empty(); }
};

class FrameJournal {
 public:
  /// Reads what all processes have written, and locks the file of this one. Throws Error where another process with the
  /// same share is at work there.
  FrameJournal(const std::string& folder, RankVariables share);
  ~FrameJournal();
  FrameJournal(const FrameJournal&) = delete;
  FrameJournal& operator=(const FrameJournal&) = delete;

  /// The last that is known of a cube.
  const FrameRecord* find(const std::string& output) const;
  /// Appends a line at once. Throws Error when that fails. For one thread.
  void add(FrameRecord record);
  /// Reads all once more: what other processes have finished since.
  void update();

  /// Removes what a process that was killed has left half-written in a folder: of files of these names, without their
  /// extensions. Does nothing while another run, divided in another way, is at work.
  void remove_leftovers(const std::string& folder, const std::set<std::string>& stems) const;

 private:
  std::string file_of(RankVariables share) const;
  void read(const std::string& path);
  bool others_at_work() const;

  std::string folder_;
  RankVariables share_;
  int file_ = -1;
  std::map<std::string, FrameRecord> records_;
};

}  // namespace snapcube
