#pragma once
/// From the counts of a detector to linear light. One place for black level, dark frame, flat field, bad and saturated
/// pixels, region of interest, binning, flips and quarter turns, in this order.

#include <cstdint>
#include <optional>
#include <string>

#include <snapcube/array.h>
#include <snapcube/io.h>

namespace snapcube {

/// What is known of a detector. Images have the size of its raw frames; an empty one says nothing.
struct Detector {
  double black_level = 0;        ///< counts without light
  Image dark;                    ///< the same for every pixel, in place of the black level
  Image flat;                    ///< response of every pixel, 1 on average; one of 0 is taken for dead
  Image bad;                     ///< not 0: dead or hot
  double saturation = 0;         ///< counts from which on a pixel is full; 0: not known
  double gain = 0;               ///< electrons a count; 0: not known
  double read_noise = 0;         ///< electrons; 0: not known
  std::optional<Region> region;  ///< the part of the raw frame that is used
  int binning = 1;               ///< so many by so many pixels become one, their mean
  bool flip_rows = false;        ///< upside down
  bool flip_columns = false;     ///< left to right
  int quarter_turns = 0;         ///< clockwise, 0 … 3, after the flips
};

/// A frame as methods take it.
struct PreparedFrame {
  Image values;       ///< light: counts above black, over the full scale where that is known
  Image weights;      ///< for Camera::set_weights: 0 where nothing is known; empty where every pixel is good
  int saturated = 0;  ///< raw pixels of the region that are full
  int bad = 0;        ///< raw pixels of the region that are dead or hot
};

/// Throws InputError when a frame, dark, flat or bad pixels differ in size, when the region does not lie inside, or
/// when no pixel is left; `source` names the frame. The images of `frame` are used again where their sizes fit.
void prepare(const Image& counts, const Detector& detector, const std::string& source, PreparedFrame& frame);

/// How the bytes of a file without a header are meant.
struct RawLayout {
  enum class Type { u8, u16le, u16be, mono10packed, mono12packed };
  int width = 0;
  int height = 0;
  Type type = Type::u16le;
  /// "2448x2048:u16le" (u8, u16le, u16be, mono10packed, mono12packed). Throws InputError; `option` names the place.
  static RawLayout parse(const std::string& text, const std::string& option);
  std::uint64_t frame_bytes() const;
  /// The largest count that the type can hold; of 16 bits, which often hold 10 or 12, it says little.
  double largest() const;
};

/// Numbers as a detector gave them.
struct RawImage {
  Image counts;
  bool integer = false;  ///< counts; otherwise values in some unit of light
  double largest = 0;    ///< of an integer type
};

/// A frame with its counts as they are, from any format of io.h. Integers with a scale stored beside them are values,
/// and come scaled.
RawImage read_raw(const std::string& location, const ReadOptions& options = {});
/// Frame number `index` of a file without a header. Throws InputError when the file's length is not that of whole
/// frames.
RawImage read_raw(const std::string& path, const RawLayout& layout, std::int64_t index = 0);
/// How many frames a file holds: pages of a TIFF stack, the first axis of an array of three dimensions; mostly 1.
std::int64_t count_frames(const std::string& location, const ReadOptions& options = {});
std::int64_t count_frames(const std::string& path, const RawLayout& layout);
/// One frame's counts from memory; `bytes` has layout.frame_bytes() of them.
void unpack_frame(const unsigned char* bytes, const RawLayout& layout, Image& counts);

}  // namespace snapcube
