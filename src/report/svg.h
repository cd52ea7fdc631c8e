#pragma once
// Pictures and plots inside of an HTML page.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/render.h>

namespace snapcube {

/// "data:image/png;base64,…"
std::string data_uri(const Picture& picture);
/// The same of a PNG file's bytes.
std::string png_uri(const std::string& bytes);

struct Mark {
  Region region;
  std::string colour;
  std::string label;
};

/// A picture with rectangles on it; every pixel stays a square. `description` is its text for those who do not see it.
std::string picture_svg(const Picture& picture, const std::vector<Mark>& marks, const std::string& description);

struct SpectralCurve {
  std::string name;
  std::string colour;
  bool dashed = false;
  std::vector<double> values;
  std::optional<double> correlation = std::nullopt;  ///< with the truth, for the legend
};

/// Curves over wavelengths (or numbers of bands), with their correlations in the legend.
std::string spectrum_svg(const std::string& title, const std::vector<double>& x, const std::string& x_name,
                         const std::vector<SpectralCurve>& curves);

/// A number at the left of a line across a plot, and one below it.
std::string rule_svg(double left, double right, double y, double value);
std::string tick_svg(double x, double y, double value);

/// How the words and lines of a plot look, as CSS.
std::string_view plot_style();
/// A plot as a file of its own: on white, with its style. Nothing of nothing.
std::string plot_file(const std::string& svg);

/// The scale of the error maps, from 0 to `most`.
std::string error_scale_svg(double most);

}  // namespace snapcube
