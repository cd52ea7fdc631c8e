#pragma once
// Reflectance spectra of the materials that synthetic scenes are made of.

#include <string_view>
#include <vector>

#include "base/random.h"

namespace snapcube {

/// base + Σ height/(1 + exp(−(λ−centre)/width)) + Σ height·exp(−½((λ−centre)/width)²), kept in
/// [0.01, 0.97]: dyes and pigments have edges and humps some tens of nanometres wide.
struct Spectrum {
  struct Term {
    double centre;
    double width;
    double height;
  };
  double base = 0;
  std::vector<Term> edges;
  std::vector<Term> humps;

  double at(double nm) const;
  /// The same material from another maker: moved by up to 4 nm, terms up to 7 % stronger or weaker.
  Spectrum varied(Random& random) const;
};

struct NamedSpectrum {
  std::string_view name;
  Spectrum spectrum;
};

/// The patches of the colour chart, row after row of six: natural colours, mixtures, primaries,
/// greys.
const std::vector<NamedSpectrum>& chart_spectra();

/// Other materials by name ("orange peel", "denim"); a name that does not exist is a bug and throws
/// std::out_of_range.
const Spectrum& material(std::string_view name);

/// Light of one narrow band: a hump of σ 6 nm on black.
Spectrum narrow_band(double centre);

}  // namespace snapcube
