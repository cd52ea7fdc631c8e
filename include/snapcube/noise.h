#pragma once
/// What a detector adds to a measurement. Seeded and exactly reproducible: the same seed gives the same
/// bytes on every machine and for every thread count.
///
/// Thread safety: a NoiseModel does not change when it is applied, so that several threads may share one.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// One step of a noise model.
struct NoiseStage {
  enum class Kind {
    shot,      ///< n = floor(g·y·2^bits/q) photons, binomial(n, q) of them detected: y' = detected/2^bits/g
    gaussian,  ///< y + sigma·N(0,1)
    poisson,   ///< Poisson(y·photons)/photons
    quantise,  ///< round to the nearest of 2^bits levels, evenly spaced over [0, full_scale]
  };
  Kind kind;
  int bits = 11;
  double quantum_efficiency = 0.4;
  /// Factor that brings the measurement to the detector's range before shot noise and is undone after it.
  double gain = 1.0;
  double sigma = 0.0;
  double photons = 0.0;
  /// 0: the largest value of the measurement.
  double full_scale = 0.0;
};

/// Stages applied one after the other; none by default.
class NoiseModel {
 public:
  NoiseModel() = default;
  explicit NoiseModel(std::vector<NoiseStage> stages) : stages_(std::move(stages)) {}

  /// Reads "none", or stages joined by '+':
  ///   shot11[:GAIN]      11-bit shot noise (any bits 1…24: shot12, …); GAIN defaults to `shot_gain`
  ///   gaussian:SIGMA     read noise in the measurement's units
  ///   poisson:PHOTONS    photons at a value of 1
  ///   quantise:BITS[:FULL_SCALE]   (also "quantize")
  /// Example: "shot11+gaussian:0.005+quantise:12". Throws InputError for anything else.
  static NoiseModel parse(std::string_view text, double shot_gain = 1.0);

  const std::vector<NoiseStage>& stages() const { return stages_; }
  void apply(Image& measurement, std::uint64_t seed) const;

 private:
  std::vector<NoiseStage> stages_;
};

}  // namespace snapcube
