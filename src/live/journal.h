#pragma once
// What was done, so that a restart skips it: a file of JSON lines beside the cubes, one for each frame.
//
//   {"input": "a.tif", "size": 158720, "modified_ns": 1789…, "cube": "a.mat", "seconds": 0.13, "misfit": 0.04}
//   {"input": "b.tif", "size": 158720, "modified_ns": 1789…, "dropped": true}
//   {"input": "frame 12", "cube": "frame-000012.mat", …}      of a pipe or a camera
//
// A line is appended in one piece when its cube is complete. A last line that a power cut left half-written counts as
// not there.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "live/file_stamp.h"

namespace snapcube::live {

struct JournalEntry {
  std::string input;                    ///< the file's name, without its folder; or "frame 12"
  std::optional<FileStamp> stamp = {};  ///< of a file
  std::string cube = {};                ///< name of the (last) cube's file; empty if it was dropped
  double seconds = 0;                   ///< that the reconstruction took
  std::optional<double> misfit = {};    ///< Camera::misfit
};

/// A line without its end. Nothing for what is no such line.
std::optional<JournalEntry> parse_journal_line(std::string_view line);
std::string journal_line(const JournalEntry& entry);

class Journal {
 public:
  /// Reads and locks the folder's journal. Throws Error when another process holds it, or it cannot be written.
  explicit Journal(const std::filesystem::path& folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Whether this state of a file was reconstructed, and its cube is still there; or was dropped, if those count.
  bool is_done(const std::string& input, const FileStamp& stamp, bool dropped_counts) const;
  /// The input whose cube has this name; empty if there is none.
  std::string input_of(const std::string& cube) const;
  /// The largest N of inputs called "frame N"; 0 if there is none.
  std::int64_t last_number() const { return last_number_; }
  void add(const JournalEntry& entry);

  static constexpr const char* kFile = "watch.jsonl";

 private:
  void read();
  void remember(const JournalEntry& entry);

  std::filesystem::path folder_;
  std::filesystem::path path_;
  int file_ = -1;
  std::map<std::string, JournalEntry> entries_;
  std::map<std::string, std::string> inputs_;  ///< by the cube's name
  std::int64_t last_number_ = 0;
};

}  // namespace snapcube::live
