#pragma once
// The text header of an ENVI file:
//
//   ENVI
//   ; a comment
//   samples = 512
//   wavelength = {
//    400.0, 410.0 }
//
// The first line is the word ENVI. Every other one is a comment, empty, or key = value, where a
// value that opens a brace goes on until the brace closes. Keys are the same in upper and lower
// case.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format.h"

namespace snapcube::io {

struct EnviHeader {
  std::int64_t samples = 0;  ///< pixels of a row
  std::int64_t lines = 0;
  std::int64_t bands = 0;
  std::int64_t offset = 0;  ///< bytes of the data file before the first value
  ElementType type = ElementType::f32;
  EnviInterleave interleave = EnviInterleave::bsq;
  bool big_endian = false;
  std::vector<double> wavelengths;  ///< nm; empty or one a band
  /// Stored values divided by this are reflectance.
  std::optional<double> reflectance_scale;
};

/// Throws InputError, naming `source`. Logs what it had to guess (wavelength units) or leaves out.
EnviHeader parse_envi_header(std::string_view text, const std::string& source);

/// The text that parse_envi_header reads back.
std::string envi_header_text(const EnviHeader& header);

/// "bsq", "bil", "bip".
std::string interleave_name(EnviInterleave interleave);

}  // namespace snapcube::io
