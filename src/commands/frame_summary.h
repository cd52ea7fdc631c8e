#pragma once
// What became of many frames: as a table for programs, and in a sentence.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "commands/frame_journal.h"

namespace snapcube {

class FrameSummary {
 public:
  explicit FrameSummary(std::string method) : method_(std::move(method)) {}

  void add(FrameRecord record);
  /// A frame that nobody has worked on yet.
  void add_left(const std::string& input, const std::string& output);

  std::size_t frames() const { return rows_.size(); }
  std::size_t done() const { return done_; }
  std::size_t failed() const { return failed_; }
  std::size_t left() const { return frames() - done_ - failed_; }

  std::vector<const FrameRecord*> failures() const;

  /// "199 of 200 frames done, 1 failed; misfit 0.031 in the middle, 0.210 at most (shot17)".
  std::string text() const;
  /// frame, cube, status (done, failed, left), misfit, seconds, saturated_pixels, bad_pixels, error. What is not known
  /// is empty.
  std::string csv() const;
  std::string json() const;
  /// As JSON if the name ends so, else as CSV.
  void write(const std::string& path) const;

 private:
  struct Row {
    FrameRecord record;
    const char* status;
  };
  struct Misfit {
    double value;
    const FrameRecord* frame;
  };
  /// Ascending.
  std::vector<Misfit> misfits() const;

  std::string method_;
  std::vector<Row> rows_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
};

/// Throws InputError unless it ends in .csv or .json; `option` names the place.
void check_summary_name(const std::string& path, const std::string& option);

}  // namespace snapcube
