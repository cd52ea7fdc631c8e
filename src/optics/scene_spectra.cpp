#include "optics/scene_spectra.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace snapcube {

double Spectrum::at(double nm) const {
  double value = base;
  for (const Term& t : edges) value += t.height / (1 + std::exp(-(nm - t.centre) / t.width));
  for (const Term& t : humps) {
    const double z = (nm - t.centre) / t.width;
    value += t.height * std::exp(-0.5 * z * z);
  }
  return std::clamp(value, 0.01, 0.97);
}

Spectrum Spectrum::varied(Random& random) const {
  Spectrum other = *this;
  const double shift = random.uniform(-4, 4);
  for (auto* terms : {&other.edges, &other.humps}) {
    for (Term& t : *terms) {
      t.centre += shift;
      t.height *= random.uniform(0.93, 1.07);
    }
  }
  return other;
}

Spectrum narrow_band(double centre) { return {0.012, {}, {{centre, 6, 0.85}}}; }

const std::vector<NamedSpectrum>& chart_spectra() {
  // name, {base, {edges: centre, width, height}, {humps: centre, width, height}}
  static const std::vector<NamedSpectrum> kPatches = {
      {"dark skin", {0.055, {{585, 18, 0.07}, {670, 25, 0.09}}, {}}},
      {"light skin", {0.20, {{455, 22, 0.11}, {592, 13, 0.30}}, {{548, 16, -0.035}}}},
      {"blue sky", {0.145, {{640, 40, 0.03}}, {{452, 52, 0.21}}}},
      {"foliage", {0.045, {{690, 9, 0.28}}, {{550, 27, 0.12}}}},
      {"blue flower", {0.17, {{668, 16, 0.26}}, {{440, 44, 0.31}}}},
      {"bluish green", {0.17, {{600, 26, -0.05}}, {{503, 46, 0.46}}}},
      {"orange", {0.055, {{578, 15, 0.52}}, {}}},
      {"purplish blue", {0.085, {{685, 15, 0.18}}, {{447, 33, 0.29}}}},
      {"moderate red", {0.09, {{601, 12, 0.47}}, {{425, 35, 0.04}}}},
      {"purple", {0.045, {{648, 20, 0.17}}, {{428, 34, 0.14}}}},
      {"yellow green", {0.07, {{513, 11, 0.44}, {600, 35, -0.14}}, {}}},
      {"orange yellow", {0.06, {{545, 16, 0.46}, {600, 20, 0.10}}, {}}},
      {"blue", {0.045, {{700, 12, 0.10}}, {{452, 26, 0.30}}}},
      {"green", {0.055, {{700, 14, 0.06}}, {{532, 30, 0.29}}}},
      {"red", {0.045, {{606, 11, 0.63}}, {}}},
      {"yellow", {0.06, {{511, 12, 0.56}, {560, 25, 0.13}}, {}}},
      {"magenta", {0.09, {{613, 15, 0.58}}, {{432, 40, 0.27}}}},
      {"cyan", {0.075, {{720, 14, 0.10}}, {{483, 37, 0.35}}}},
      {"white", {0.78, {{408, 10, 0.12}}, {}}},
      {"light grey", {0.55, {{405, 12, 0.04}}, {}}},
      {"grey", {0.35, {{405, 12, 0.01}}, {}}},
      {"middle grey", {0.19, {}, {}}},
      {"dark grey", {0.09, {}, {}}},
      {"black", {0.032, {}, {}}},
  };
  return kPatches;
}

const Spectrum& material(std::string_view name) {
  static const std::vector<NamedSpectrum> kMaterials = {
      {"apple red", {0.045, {{592, 13, 0.50}}, {{680, 12, -0.12}}}},
      {"apple blush", {0.07, {{522, 14, 0.42}, {585, 20, 0.14}}, {{678, 11, -0.16}}}},
      {"orange peel", {0.045, {{556, 15, 0.64}}, {{490, 22, -0.012}}}},
      {"lemon peel", {0.08, {{508, 12, 0.68}}, {{670, 12, -0.05}}}},
      {"lime peel", {0.035, {{692, 9, 0.35}}, {{543, 27, 0.33}}}},
      {"plum", {0.035, {{640, 20, 0.13}}, {{440, 38, 0.08}}}},
      {"cobalt glaze", {0.05, {{690, 10, 0.35}}, {{458, 31, 0.42}}}},
      {"turquoise", {0.06, {{600, 16, -0.02}}, {{497, 36, 0.50}}}},
      {"plaster", {0.62, {{430, 25, 0.16}}, {}}},
      {"cream", {0.40, {{465, 28, 0.33}}, {}}},
      {"tea", {0.015, {{612, 22, 0.16}}, {}}},
      {"walnut", {0.045, {{590, 45, 0.15}}, {}}},
      {"oak", {0.13, {{535, 45, 0.38}}, {}}},
      {"stem", {0.04, {{600, 40, 0.10}}, {}}},
      {"raspberry", {0.07, {{618, 12, 0.62}}, {{430, 40, 0.16}}}},
      {"wool red", {0.05, {{598, 12, 0.50}}, {{440, 40, 0.03}}}},
      {"wool green", {0.05, {{695, 10, 0.30}}, {{525, 32, 0.24}}}},
      {"denim", {0.06, {{690, 14, 0.25}}, {{455, 40, 0.27}}}},
      {"cotton", {0.60, {{425, 18, 0.20}}, {}}},
      {"marble", {0.66, {{420, 25, 0.14}}, {}}},
      {"marble vein", {0.12, {{560, 60, 0.10}}, {}}},
      {"tile teal", {0.05, {{590, 18, -0.02}}, {{492, 34, 0.40}}}},
      {"terracotta", {0.07, {{583, 18, 0.38}}, {}}},
      {"feldspar", {0.28, {{570, 22, 0.30}}, {}}},
      {"quartz", {0.55, {{440, 40, 0.10}}, {}}},
      {"mica", {0.05, {}, {}}},
      {"sand", {0.16, {{510, 38, 0.42}}, {}}},
      {"leather", {0.05, {{586, 24, 0.26}}, {}}},
      {"moss", {0.035, {{695, 9, 0.35}}, {{548, 24, 0.24}}}},
      {"mustard", {0.05, {{530, 15, 0.50}}, {}}},
      {"lilac", {0.20, {{635, 20, 0.32}}, {{438, 42, 0.38}}}},
      {"ink red", {0.02, {{610, 8, 0.85}}, {}}},
      {"ink orange", {0.02, {{577, 9, 0.82}}, {}}},
      {"ink yellow", {0.02, {{522, 9, 0.82}}, {}}},
      {"ink green", {0.015, {}, {{535, 22, 0.72}}}},
      {"ink cyan", {0.02, {}, {{492, 26, 0.74}}}},
      {"ink blue", {0.02, {}, {{462, 18, 0.80}}}},
      {"ink violet", {0.02, {{630, 10, 0.55}}, {{448, 18, 0.60}}}},
      {"white", {0.92, {}, {}}},
      {"black cloth", {0.017, {}, {}}},
  };
  for (const NamedSpectrum& m : kMaterials) {
    if (m.name == name) return m.spectrum;
  }
  throw std::out_of_range("no material " + std::string(name));
}

}  // namespace snapcube
