#pragma once
// Random numbers that are the same on every machine, for every thread count: a counter-based generator. The
// n-th number of a stream depends on (seed, stream, n) only, so each pixel can have a stream of its own.

#include <cstdint>

namespace snapcube {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(seed ^ mix(stream + 0x632BE59BD9B4E019ull))) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15ull;
    return mix(state_);
  }
  /// Uniform in [0,1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in 0 … n−1; 0 < n < 2^32. (Multiply-shift; the bias is below n/2^32.)
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32); }
  /// Standard normal (polar method).
  double normal();
  /// Number of successes in n trials of probability p.
  std::int64_t binomial(std::int64_t n, double p);
  std::int64_t poisson(double mean);

 private:
  /// SplitMix64's finaliser: a bijection that spreads every input bit over all output bits.
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Natural logarithm from additions, multiplications and one division only, so that it rounds alike everywhere
/// (libm's may differ between processors). x > 0 and finite; relative error below 1e-15 away from x = 1.
double portable_log(double x);

}  // namespace snapcube
