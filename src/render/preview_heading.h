#pragma once
// The lines of text at the top of a preview.

#include <string>

#include <snapcube/array.h>
#include <snapcube/render.h>

namespace snapcube {

struct PreviewHeading {
  std::string title;
  std::string facts;     ///< size, bands, wavelengths, what is shown as white, misfit
  std::string scores;    ///< with a truth; else empty
  std::string protocol;  ///< of the scores
};

/// `exposure`: what values are multiplied by before they are shown.
PreviewHeading preview_heading(const Cube& cube, const PreviewOptions& options, double exposure);

}  // namespace snapcube
