#pragma once
// From spectra to sRGB.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace snapcube {

using Triple = std::array<double, 3>;

/// CIE 1931 2° colour matching functions (x̄, ȳ, z̄), linear between the 5 nm table values; 0 outside
/// 380 … 780 nm.
Triple colour_matching(double nm);
/// CIE standard illuminant D65, 100 at 560 nm; the end values outside 380 … 780 nm.
double d65(double nm);

/// XYZ (Y of white 1) to linear sRGB.
Triple linear_srgb(const Triple& xyz);
/// The sRGB transfer function: linear [0,1] to encoded [0,1]. Clips.
double encode_srgb(double linear);
/// The same, as a byte. Not a number becomes 0.
std::uint8_t encode_srgb_byte(double linear);

/// What each band adds to XYZ under D65, for a spectrum that is linear between the bands: ∫
/// c̄(λ)·D65(λ)·hat_b(λ) dλ, on any grid in any order, without normalisation.
std::vector<Triple> xyz_weights(std::span<const double> wavelengths);

/// What each band adds to linear R, G and B so that a flat spectrum of 1 gives exactly (1,1,1) on
/// every grid: X, Y and Z are scaled to D65's white (a von Kries adaptation in XYZ). Where a range
/// leaves X or Z almost without light, that one follows Y; outside of the visible range all bands
/// count alike.
std::vector<Triple> srgb_weights(std::span<const double> wavelengths);

/// A colour (linear sRGB, largest channel 1) for light of one wavelength, for tinting; grey outside
/// the visible range.
Triple wavelength_tint(double nm);

}  // namespace snapcube
