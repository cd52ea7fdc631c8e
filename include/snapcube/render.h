#pragma once
/// Pictures of cubes, to be looked at.
///
/// Thread safety: any thread may call these functions at any time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/reconstructor.h>

namespace snapcube {

/// 8-bit sRGB, three bytes a pixel, row after row.
struct Picture {
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> rgb;

  Picture() = default;
  Picture(int h, int w) : height(h), width(w), rgb(std::size_t{3} * h * w) {}
};

/// The colours a person would see: CIE 1931 2° observer, D65, values as reflectance. A cube that covers only
/// part of the visible range is adapted so that a flat spectrum is neutral. Throws InputError for a cube
/// without wavelengths.
Picture render_srgb(const Cube& cube, double exposure = 1.0);

/// One picture that shows a reconstruction: measurement, sRGB rendering, all bands with their wavelengths and,
/// with a truth, the true colours, the error map and the PSNR.
struct PreviewOptions {
  std::string title = {};
  const Image* measurement = nullptr;
  const Cube* truth = nullptr;
  /// What a network expects the error to be (Reconstructor::expected_error), of the cube's size: a map; with a truth
  /// beside the error map, in the same colours.
  const Image* expected_error = nullptr;
  /// Bands in grey: a tint of their wavelength hides noise where it is dark, below 480 nm.
  bool grey_bands = false;
  /// What values are multiplied by, so that several pictures can be compared; nothing: chosen for this one.
  std::optional<double> exposure = std::nullopt;
  /// For the heading, see Camera::misfit.
  std::optional<double> misfit = std::nullopt;
  /// Number of places whose spectra are plotted: flat, coloured and unlike each other.
  int spectra = 0;
  /// Dark text on white, for print.
  bool light = false;
};
Picture render_preview(const Cube& cube, const PreviewOptions& options = {});

/// M_s in colours from black to pale yellow, as far as its values go, with the kept windows outlined.
Picture render_sparsity_map(const SparsityMap& map);

/// An expected error (Reconstructor::expected_error) in colours from black, none, to pale yellow, its largest value.
Picture render_expected_error(const Image& error);

/// Written beside and renamed.
void write_png(const Picture& picture, const std::string& path);

}  // namespace snapcube
