#include "commands/terminal_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "commands/assumed_wavelengths.h"
#include "commands/terminal_abilities.h"
#include "metrics/mean_spectrum.h"
#include "render/appearance.h"
#include "render/line_plot.h"
#include "render/terminal_picture.h"

namespace snapcube {

namespace {

/// Space to the left of everything.
constexpr int kIndent = 2;
constexpr int kBarRows = 6;
/// Lines of facts before the picture, of the spectrum after it, and of the next prompt.
constexpr int kOtherRows = 19;

std::string indented(const std::string& text) {
  const std::string space(kIndent, ' ');
  std::string result = space;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += space;
  }
  return result;
}

bool use_sixels(const TerminalAbilities& terminal, const std::string& how) {
  return how == "sixel" || (how == "auto" && terminal.sixel);
}

/// The picture on as many of the screen's lines as leave room for the rest, but on half of them at least.
std::string picture_text(const Picture& picture, const TerminalAbilities& terminal, bool sixels) {
  const int rows = std::max({terminal.rows - kOtherRows, terminal.rows / 2, 8});
  const int columns = std::max(terminal.columns - 2 * kIndent, 8);
  if (sixels) return sixel_text(shrunk(picture, rows * terminal.cell_height, columns * terminal.cell_width));
  return indented(half_block_text(shrunk(picture, 2 * rows, columns), terminal.true_colour));
}

/// `wavelengths` colours the bars; the axis is labelled with those of the cube, and with band numbers where it has
/// none.
std::string spectrum_text(const Cube& cube, const std::vector<double>& wavelengths, const TerminalAbilities& terminal,
                          bool sixels) {
  const std::vector<double> spectrum = mean_spectrum(cube);
  const bool known = has_colours(cube);
  if (sixels) {
    PlotLine line{"", {0.29, 0.64, 1.0}, {}, false};
    for (std::size_t b = 0; b < spectrum.size(); ++b) {
      line.points.push_back({known ? cube.wavelengths[b] : static_cast<double>(b + 1), spectrum[b]});
    }
    const Picture plot = draw_plot({"mean spectrum", known ? "wavelength in nm" : "band", "", {line}, 640, 320});
    return sixel_text(shrunk(plot, 320, (terminal.columns - 2 * kIndent) * terminal.cell_width));
  }
  // As many characters a band as fit, or as many bands as there are characters.
  const int columns = std::max(terminal.columns - 2 * kIndent, 8);
  const int stride = (cube.bands() + columns - 1) / columns;
  std::vector<double> values;
  std::vector<Triple> colours;
  for (std::size_t b = 0; b < spectrum.size(); b += static_cast<std::size_t>(stride)) {
    values.push_back(spectrum[b]);
    Triple colour = b < wavelengths.size() ? wavelength_tint(wavelengths[b]) : Triple{0.5, 0.5, 0.5};
    for (double& c : colour) c = encode_srgb(0.06 + 0.94 * c);
    colours.push_back(colour);
  }
  const int width = std::clamp(columns / static_cast<int>(values.size()), 1, 3);
  std::string text = indented(bar_text(values, colours, kBarRows, width, terminal.true_colour));
  const std::string first = known ? fmt::format("{:g} nm", cube.wavelengths.front()) : "band 1";
  const std::string last =
      known ? fmt::format("{:g} nm", cube.wavelengths.back()) : fmt::format("band {}", cube.bands());
  const int room = width * static_cast<int>(values.size()) - static_cast<int>(first.size() + last.size());
  text += indented(first + std::string(static_cast<std::size_t>(std::max(room, 1)), ' ') + last + "\n");
  return text;
}

}  // namespace

std::string shown_in_terminal(const Cube& cube, const std::string& how) {
  const TerminalAbilities terminal = terminal_abilities();
  const bool sixels = use_sixels(terminal, how);
  Cube coloured = cube;
  const bool assumed = assume_published_wavelengths(coloured);
  const LinearColour colour = colours_of(coloured);
  std::string text = picture_text(encode(colour, automatic_exposure(colour)), terminal, sixels) + "\n" +
                     spectrum_text(cube, coloured.wavelengths, terminal, sixels);
  if (assumed) text += indented("colours as if the bands were the published ones (see --input-wavelengths)\n");
  return text;
}

std::string shown_in_terminal(const Image& image, const std::string& how) {
  const TerminalAbilities terminal = terminal_abilities();
  const double bright = percentile(image, 0.995);
  return picture_text(tinted(image, bright > 1e-6 ? 1 / bright : 1, {1, 1, 1}), terminal, use_sixels(terminal, how));
}

}  // namespace snapcube
