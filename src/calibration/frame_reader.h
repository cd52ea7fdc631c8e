#pragma once
// Frames of one detector, all of one size.

#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/detector.h>
#include <snapcube/io.h>

namespace snapcube {

class FrameReader {
 public:
  FrameReader(ReadOptions options, std::optional<RawLayout> raw) : options_(std::move(options)), raw_(raw) {}

  /// Counts as they are. Throws InputError when the size is not that of the first frame.
  Image read(const std::string& location);
  /// A location for each frame: of a stack its pages, else the location itself.
  std::vector<std::string> frames(const std::string& location) const;

  /// Whether all were whole numbers.
  bool counts() const { return counts_; }
  /// Counts at which a frame's brightest pixels pile up; 0: none do, or a brighter frame exists without.
  double saturation() const { return pile_ >= brightest_ ? pile_ : 0; }
  /// The largest number that the type can hold, of integers.
  double largest() const { return largest_; }
  double brightest() const { return brightest_; }

 private:
  ReadOptions options_;
  std::optional<RawLayout> raw_;
  std::string first_;
  int height_ = 0;
  int width_ = 0;
  bool counts_ = true;
  double largest_ = 0;
  double brightest_ = 0;
  double pile_ = 0;
};

/// The count of the brightest pixels, where many more have it than each of the counts just below; 0: not so.
double pile_of(const Image& counts);

}  // namespace snapcube
