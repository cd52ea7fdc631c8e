#include "gradients/data_step.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "base/random.h"

namespace snapcube::gradients {
namespace {

constexpr int kHeight = 3;
constexpr int kWidth = 9;

std::vector<float> noise(std::size_t count, std::uint64_t seed, double low, double high) {
  Random random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.uniform(low, high)));
  return values;
}

struct Case {
  std::vector<double> positions;
  bool weighted;
};

class DataStepGradients : public testing::TestWithParam<Case> {
 protected:
  DataStepGradients() {
    step_.dispersion = &dispersion_;
    step_.masks = {masks_.data(), 1, kHeight, bands_, kWidth};
    step_.measurement = y_.data();
    for (std::size_t r = 0; r < kHeight; ++r) {
      gram_row(dispersion_, {masks_.data() + r * static_cast<std::size_t>(bands_) * kWidth, kWidth},
               diagonal_.data() + r * width_, next_.data() + r * width_);
    }
    if (GetParam().weighted) {
      roots_[2] = 0;
      roots_[5] = 0.5f;
      for (std::size_t i = 0; i < roots_.size(); ++i) {
        diagonal_[i] *= roots_[i] * roots_[i];
        if (i + 1 < roots_.size()) next_[i] *= roots_[i] * roots_[i + 1];
      }
      step_.roots = roots_.data();
    }
    step_.diagonal = diagonal_.data();
    step_.next = dispersion_.is_whole() ? nullptr : next_.data();
    step_.eta = 1.3f;
    step_.mu = 0.4f;
  }

  ConstPlanes planes(const std::vector<float>& values) const { return {values.data(), 1, kHeight, bands_, kWidth}; }

  /// ⟨g, x'⟩
  double value(const std::vector<float>& x, const DataStep& step) const {
    std::vector<float> out(x.size());
    std::vector<float> solved(y_.size());
    data_step(planes(x), step, {out.data(), 1, kHeight, bands_, kWidth}, solved.data());
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(g_[i]) * out[i];
    return sum;
  }

  const Dispersion dispersion_{GetParam().positions, kWidth};
  const int bands_ = dispersion_.bands();
  const std::size_t width_ = static_cast<std::size_t>(dispersion_.detector_width());
  const std::size_t size_ = static_cast<std::size_t>(bands_) * kHeight * kWidth;
  const std::vector<float> masks_ = noise(size_, 1, 0, 1);
  const std::vector<float> y_ = noise(kHeight * width_, 2, 0, 3);
  const std::vector<float> x_ = noise(size_, 3, 0, 1);
  const std::vector<float> g_ = noise(size_, 4, -1, 1);
  std::vector<float> roots_ = std::vector<float>(kHeight * width_, 1.0f);
  std::vector<float> diagonal_ = std::vector<float>(kHeight * width_);
  std::vector<float> next_ = std::vector<float>(kHeight * width_);
  DataStep step_;
};

TEST_P(DataStepGradients, AreDifferenceQuotients) {
  std::vector<float> out(size_);
  std::vector<float> solved(y_.size());
  std::vector<float> dx(size_);
  data_step(planes(x_), step_, {out.data(), 1, kHeight, bands_, kWidth}, solved.data());
  const auto sums = data_step_backward(planes(g_), step_, solved.data(), {dx.data(), 1, kHeight, bands_, kWidth});
  constexpr float kSmall = 1e-2f;
  const auto quotient = [&](const DataStep& up, const DataStep& down) {
    return (value(x_, up) - value(x_, down)) / (2 * static_cast<double>(kSmall));
  };
  DataStep up = step_;
  DataStep down = step_;
  up.eta += kSmall;
  down.eta -= kSmall;
  EXPECT_NEAR(sums.eta, quotient(up, down), 1e-3);
  up = down = step_;
  up.mu += kSmall;
  down.mu -= kSmall;
  EXPECT_NEAR(sums.mu, quotient(up, down), 5e-3 * (1 + std::abs(sums.mu)));
  for (std::size_t i = 0; i < size_; i += 7) {
    auto more = x_;
    auto less = x_;
    more[i] += kSmall;
    less[i] -= kSmall;
    EXPECT_NEAR(dx[i], (value(more, step_) - value(less, step_)) / (2 * static_cast<double>(kSmall)), 1e-3) << i;
  }
}

TEST_P(DataStepGradients, AreTheSameForEveryNumberOfThreads) {
  const int threads = omp_get_max_threads();
  std::vector<std::vector<float>> results;
  std::vector<DataStepGradient> sums;
  for (const int n : {1, 2, 3}) {
    omp_set_num_threads(n);
    std::vector<float> dx(size_);
    std::vector<float> solved(y_.size());
    data_step(planes(x_), step_, {dx.data(), 1, kHeight, bands_, kWidth}, solved.data());
    sums.push_back(data_step_backward(planes(g_), step_, solved.data(), {dx.data(), 1, kHeight, bands_, kWidth}));
    results.push_back(dx);
  }
  omp_set_num_threads(threads);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(sums[0].mu, sums[1].mu);
  EXPECT_EQ(sums[0].eta, sums[2].eta);
}

INSTANTIATE_TEST_SUITE_P(Cameras, DataStepGradients,
                         testing::Values(Case{{0, 2, 4, 6}, false}, Case{{0, 2, 4, 6}, true},
                                         Case{{0, 0.6, 2.3, 3.9}, false}, Case{{0, 0.6, 2.3, 3.9}, true}));

/// Where every detector pixel is solved exactly, the cube explains it.
TEST(DataStep, ExplainsTheMeasurement) {
  for (const std::vector<double>& positions : {std::vector<double>{0, 2, 4}, std::vector<double>{0, 0.4, 1.7}}) {
    const Dispersion dispersion(positions, kWidth);
    const auto width = static_cast<std::size_t>(dispersion.detector_width());
    const auto masks = noise(3 * kWidth, 1, 0.2, 1);
    const auto x = noise(3 * kWidth, 2, 0, 1);
    const auto y = noise(width, 3, 0.5, 2);
    std::vector<float> diagonal(width);
    std::vector<float> next(width);
    gram_row(dispersion, {masks.data(), kWidth}, diagonal.data(), next.data());
    DataStep step;
    step.dispersion = &dispersion;
    step.masks = {masks.data(), 1, 1, 3, kWidth};
    step.measurement = y.data();
    step.diagonal = diagonal.data();
    step.next = dispersion.is_whole() ? nullptr : next.data();
    step.mu = 1e-7f;
    std::vector<float> out(x.size());
    std::vector<float> solved(width);
    data_step({x.data(), 1, 1, 3, kWidth}, step, {out.data(), 1, 1, 3, kWidth}, solved.data());
    std::vector<float> z(width);
    project_row(dispersion, {out.data(), kWidth}, {masks.data(), kWidth}, z.data());
    for (std::size_t i = 0; i < width; ++i) {
      if (diagonal[i] > 0) {
        EXPECT_NEAR(z[i], y[i], 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace snapcube::gradients
