#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include <snapcube/error.h>
#include <snapcube/noise.h>

#include "base/random.h"
#include "base/text.h"

namespace snapcube {

namespace {

constexpr int kMaxBits = 24;

/// Above so many photons the counts are drawn from the normal distribution of the same mean and
/// variance: the skewness, all that differs, is below 2e-5, and the exact sampler would lose digits
/// in log(n!).
constexpr double kManyPhotons = 0x1p32;

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
  throw InputError(fmt::format("noise '{}': {}; an example is 'shot11+gaussian:0.005+quantise:12'", text, reason));
}

void require(bool condition, std::string_view text, const char* expected, double found) {
  if (!condition) refuse(text, fmt::format("expected {}, found {}", expected, found));
}

void check_stage(const NoiseStage& stage, std::string_view text) {
  const auto positive = [](double v) { return std::isfinite(v) && v > 0; };
  const auto check_bits = [&] { require(stage.bits >= 1 && stage.bits <= kMaxBits, text, "1 to 24 bits", stage.bits); };
  switch (stage.kind) {
    case NoiseStage::Kind::shot:
      check_bits();
      require(positive(stage.gain), text, "a gain above 0", stage.gain);
      require(stage.quantum_efficiency > 0 && stage.quantum_efficiency <= 1, text, "a quantum efficiency in (0,1]",
              stage.quantum_efficiency);
      break;
    case NoiseStage::Kind::gaussian:
      require(std::isfinite(stage.sigma) && stage.sigma >= 0, text, "a sigma of at least 0", stage.sigma);
      break;
    case NoiseStage::Kind::poisson:
      require(positive(stage.photons), text, "a number of photons above 0", stage.photons);
      break;
    case NoiseStage::Kind::quantise:
      check_bits();
      require(stage.full_scale == 0 || positive(stage.full_scale), text, "a full scale above 0", stage.full_scale);
      break;
  }
}

/// Reads the parts of one stage: "name[:number[:number]]", digits glued to "shot" count as its
/// first number.
class StageText {
 public:
  StageText(const std::string& stage, std::string_view whole) : whole_(whole), parts_(split(stage, ':')) {}

  const std::string& name() const { return parts_.front(); }
  std::size_t numbers() const { return parts_.size() - 1; }

  void expect_numbers(std::size_t least, std::size_t most, const char* form) const {
    if (numbers() < least || numbers() > most) refuse(whole_, fmt::format("expected {}", form));
  }
  double number(std::size_t i) const {
    const std::optional<double> value = parse_double(parts_[i]);
    if (!value) refuse(whole_, fmt::format("expected a number, found '{}'", parts_[i]));
    return *value;
  }
  int bits(std::string_view digits) const {
    const std::optional<std::int64_t> value = parse_int(digits);
    if (!value || *value < 1 || *value > kMaxBits) {
      refuse(whole_, fmt::format("expected 1 to {} bits, found '{}'", kMaxBits, digits));
    }
    return static_cast<int>(*value);
  }
  const std::string& part(std::size_t i) const { return parts_[i]; }

 private:
  std::string_view whole_;
  std::vector<std::string> parts_;
};

NoiseStage parse_stage(const std::string& stage_text, std::string_view whole, double shot_gain) {
  constexpr std::string_view kShot = "shot";
  const StageText text(stage_text, whole);
  NoiseStage stage{};
  if (text.name().starts_with(kShot)) {
    text.expect_numbers(0, 1, "shotBITS or shotBITS:GAIN");
    stage.kind = NoiseStage::Kind::shot;
    stage.bits = text.bits(std::string_view(text.name()).substr(kShot.size()));
    stage.gain = text.numbers() == 1 ? text.number(1) : shot_gain;
  } else if (text.name() == "gaussian") {
    text.expect_numbers(1, 1, "gaussian:SIGMA");
    stage.kind = NoiseStage::Kind::gaussian;
    stage.sigma = text.number(1);
  } else if (text.name() == "poisson") {
    text.expect_numbers(1, 1, "poisson:PHOTONS");
    stage.kind = NoiseStage::Kind::poisson;
    stage.photons = text.number(1);
  } else if (text.name() == "quantise" || text.name() == "quantize") {
    text.expect_numbers(1, 2, "quantise:BITS or quantise:BITS:FULL_SCALE");
    stage.kind = NoiseStage::Kind::quantise;
    stage.bits = text.bits(text.part(1));
    if (text.numbers() == 2) {
      stage.full_scale = text.number(2);
      require(stage.full_scale != 0, whole, "a full scale above 0", 0);
    }
  } else {
    refuse(whole, fmt::format("expected none, shotBITS, gaussian, poisson or quantise, found '{}'", text.name()));
  }
  check_stage(stage, whole);
  return stage;
}

double normal_count(Random& random, double mean, double variance) {
  return mean + std::sqrt(variance) * random.normal();
}

double shot(double y, const NoiseStage& stage, Random& random) {
  const double scale = std::ldexp(stage.gain, stage.bits);
  const double q = stage.quantum_efficiency;
  const double photons = std::floor(y * scale / q);
  if (!(photons > 0)) return 0;
  const double detected = photons < kManyPhotons
                              ? static_cast<double>(random.binomial(static_cast<std::int64_t>(photons), q))
                              : normal_count(random, photons * q, photons * q * (1 - q));
  return detected / scale;
}

double poisson(double y, const NoiseStage& stage, Random& random) {
  const double mean = y * stage.photons;
  if (!(mean > 0)) return 0;
  const double detected =
      mean < kManyPhotons ? static_cast<double>(random.poisson(mean)) : normal_count(random, mean, mean);
  return detected / stage.photons;
}

double quantised(double y, double full_scale, int bits) {
  const double steps = std::ldexp(1, bits) - 1;
  return std::round(std::clamp(y / full_scale, 0.0, 1.0) * steps) / steps * full_scale;
}

/// Each pixel draws from a stream of its own, so the result does not depend on the threads.
template <typename Change>
void for_each_pixel(Image& image, std::uint64_t seed, std::uint64_t stage, Change change) {
  const auto size = static_cast<std::int64_t>(image.size());
  float* values = image.data();
#pragma omp parallel for
  for (std::int64_t i = 0; i < size; ++i) {
    Random random(seed, (stage << 48) + static_cast<std::uint64_t>(i));
    values[i] = static_cast<float>(change(static_cast<double>(values[i]), random));
  }
}

void apply_stage(const NoiseStage& stage, Image& image, std::uint64_t seed, std::uint64_t number) {
  switch (stage.kind) {
    case NoiseStage::Kind::shot:
      for_each_pixel(image, seed, number, [&](double y, Random& r) { return shot(y, stage, r); });
      break;
    case NoiseStage::Kind::gaussian:
      for_each_pixel(image, seed, number, [&](double y, Random& r) { return y + stage.sigma * r.normal(); });
      break;
    case NoiseStage::Kind::poisson:
      for_each_pixel(image, seed, number, [&](double y, Random& r) { return poisson(y, stage, r); });
      break;
    case NoiseStage::Kind::quantise: {
      double full_scale = stage.full_scale;
      if (full_scale == 0) full_scale = std::ranges::max(image.values());
      // An image without light has no scale, and only one level: 0.
      const bool dark = !(full_scale > 0);
      for_each_pixel(image, seed, number,
                     [&](double y, Random&) { return dark ? 0.0 : quantised(y, full_scale, stage.bits); });
      break;
    }
  }
}

}  // namespace

NoiseModel NoiseModel::parse(std::string_view text, double shot_gain) {
  if (trim(text) == "none") return {};
  std::vector<NoiseStage> stages;
  for (const std::string& stage : split(text, '+')) stages.push_back(parse_stage(stage, text, shot_gain));
  return NoiseModel(std::move(stages));
}

void NoiseModel::apply(Image& measurement, std::uint64_t seed) const {
  for (const NoiseStage& stage : stages_) check_stage(stage, "model");
  if (measurement.empty()) return;
  for (std::size_t i = 0; i < stages_.size(); ++i) apply_stage(stages_[i], measurement, seed, i);
}

}  // namespace snapcube
