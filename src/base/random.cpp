#include "base/random.h"

#include <array>
#include <cmath>

namespace snapcube {

double portable_log(double x) {
  // x = m·2^e with m in [√½, √2); log m = 2·atanh(s), s = (m−1)/(m+1), |s| < 0.1716.
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return 2 * s * series + e * 0.69314718055994530942;
}

namespace {

/// log(n!): a table for small n, Stirling's series above (relative error below 1e-15 from n = 10).
double log_factorial(std::int64_t n) {
  static const auto kTable = [] {
    std::array<double, 16> table{};
    double sum = 0;
    for (std::size_t i = 1; i < table.size(); ++i) table[i] = sum += portable_log(static_cast<double>(i));
    return table;
  }();
  if (n < static_cast<std::int64_t>(kTable.size())) return kTable[static_cast<std::size_t>(n)];
  const double x = static_cast<double>(n) + 1;
  const double r = 1 / (x * x);
  const double tail = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r / 1680))) / x;
  return (x - 0.5) * portable_log(x) - x + 0.91893853320467274178 + tail;  // ½·log(2π)
}

}  // namespace

double Random::normal() {
  while (true) {
    const double u = uniform(-1, 1);
    const double v = uniform(-1, 1);
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

std::int64_t Random::binomial(std::int64_t n, double p) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(n, 1 - p);
  const double count = static_cast<double>(n);
  if (count * p < 10) {
    // Few expected successes: jump from success to success; the gaps are geometric.
    const double log_q = portable_log(1 - p);
    std::int64_t successes = 0;
    double position = 0;
    while (true) {
      position += std::floor(portable_log(1 - uniform()) / log_q) + 1;
      if (position > count) return successes;
      ++successes;
    }
  }
  // Hörmann's transformed rejection (BTRS, 1993): a hat over the whole distribution, exact acceptance.
  const double spq = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * spq;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5;
  const double vr = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * spq;
  const double log_odds = portable_log(p / (1 - p));
  const auto mode = static_cast<std::int64_t>(std::floor((count + 1) * p));
  const double h = log_factorial(mode) + log_factorial(n - mode);
  while (true) {
    const double v = uniform();
    const double u = uniform() - 0.5;
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= vr) return static_cast<std::int64_t>(k);
    if (k < 0 || k > count || us <= 0 || v <= 0) continue;
    const auto candidate = static_cast<std::int64_t>(k);
    const double accept =
        h - log_factorial(candidate) - log_factorial(n - candidate) + static_cast<double>(candidate - mode) * log_odds;
    if (portable_log(v * alpha / (a / (us * us) + b)) <= accept) return candidate;
  }
}

std::int64_t Random::poisson(double mean) {
  if (!(mean > 0)) return 0;
  if (mean < 10) {
    // Exponential gaps until their sum exceeds the mean.
    std::int64_t events = 0;
    double time = -portable_log(1 - uniform());
    while (time <= mean) {
      ++events;
      time -= portable_log(1 - uniform());
    }
    return events;
  }
  // Hörmann's PTRS (1993).
  const double log_mean = portable_log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double vr = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= vr) return static_cast<std::int64_t>(k);
    if (k < 0 || us <= 0 || v <= 0 || (us < 0.013 && v > us)) continue;
    const auto candidate = static_cast<std::int64_t>(k);
    const double accept = k * log_mean - mean - log_factorial(candidate);
    if (portable_log(v * inverse_alpha / (a / (us * us) + b)) <= accept) return candidate;
  }
}

}  // namespace snapcube
