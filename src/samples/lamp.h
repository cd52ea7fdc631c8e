#pragma once
// Other lamps for scenes that were all taken under one.

#include <vector>

#include "base/random.h"

namespace snapcube {

/// Spectrum of a random lamp over the bands b, its largest value 1. Half of the lamps are smooth, as daylight of all
/// hours, filters and light bulbs are:
///
///   L(b) = exp(s·Σₖ nₖ/k·cos(πk(b + ½)/bands)), k = 1, 2, 3
///
/// the others have one to five peaks as well, as light-emitting diodes and gas discharge lamps have:
///
///   L(b)·(f + Σⱼ hⱼ·exp(−((b − cⱼ)/wⱼ)²/2)), wⱼ from half a band to a quarter of the range
///
/// s, f, hⱼ, cⱼ and log wⱼ are uniform, nₖ normal.
std::vector<float> lamp_spectrum(Random& random, int bands);

}  // namespace snapcube
