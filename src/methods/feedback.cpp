#include "methods/feedback.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/lamp.h"
#include "solvers/detector_algebra.h"

namespace snapcube {

namespace {

// Chosen on held-out scenes under a hundred lamps, clean and with noise, and by real captures: docs/feedback.md.

/// A further pass must bring the misfit below this share of what it was.
constexpr double kWorthwhile = 0.95;
/// First misfit above which the lamp is doubted. Known lamps leave 0.03 … 0.06 of clean frames, 0.05 … 0.08 of noisy
/// ones.
constexpr double kDoubt = 0.08;
/// The scene without lines is believed in where its first misfit is at most this share of the other's.
constexpr double kRelit = 0.62;
/// Up to this misfit the solver can improve the relit cube.
constexpr double kRelitRefined = 0.05;
/// The solver's cube is taken where it predicts pixels that it has not seen so many times better than the network
/// explains those that it has, and what the network leaves is more than kMuch. Where mask and scene do not fit
/// together, as in real captures, it predicts them three times better at most.
constexpr double kBetter = 4.5;
constexpr double kMuch = 0.06;

/// Where a pass was refused above this misfit, what is left is noise, which a solver would make part of the cube.
constexpr double kNoise = 0.035;

constexpr GapSchedule kAlone = {.iterations = 100, .first_weight = 8, .last_weight = 0.5, .blind = 60};
constexpr GapSchedule kRemainder = {.iterations = 30, .first_weight = 8, .last_weight = 2};

bool same_camera(const Camera& a, const Camera& b) {
  return a.axis() == b.axis() && a.height() == b.height() && a.width() == b.width() && a.bands() == b.bands() &&
         a.same_positions(b) && std::ranges::equal(a.mask().values(), b.mask().values()) &&
         std::ranges::equal(a.masks().values(), b.masks().values()) &&
         std::ranges::equal(a.root_weights().values(), b.root_weights().values());
}

/// to ← y − explained, and ‖to‖ / ‖y‖; 0 for a black frame.
double remainder(const Image& y, const Image& explained, Image& to) {
  for (std::size_t i = 0; i < y.size(); ++i) to.data()[i] = y.data()[i] - explained.data()[i];
  const double size = squared_norm(y);
  return size > 0 ? std::sqrt(squared_norm(to) / size) : 0.0;
}

}  // namespace

void Feedback::prepare(const Camera& camera) {
  if (camera_ && same_camera(*camera_, camera)) return;
  solver_.reset();
  camera_.emplace(camera);
  for (Image* image : {&given_, &seen_, &explained_, &input_, &kept_, &to_relit_, &from_relit_}) {
    *image = Image(camera.detector_height(), camera.detector_width());
  }
  trial_ = {};
  solved_ = {};
  white_ = std::sqrt(squared_norm(camera.forward(Cube(camera.bands(), camera.height(), camera.width(), 1.0f))));
  told_.misfits.reserve(64);
}

GapSolver& Feedback::solver() {
  if (!solver_) solver_.emplace(*camera_);
  if (solved_.empty()) solved_ = Cube(camera_->bands(), camera_->height(), camera_->width());
  return *solver_;
}

/// One run of the network; leaves Φs, Φx and the misfit.
double Feedback::pass(const Network& network, const Image& input, const std::vector<float>* gains, const Image& y,
                      Cube& x) {
  const Camera& camera = gains && knows_gains_ ? *relit_ : *camera_;
  network(input, camera, report_ ? Report([this](double share) { report_((stage_ + share) / stages_); }) : Report(), x);
  ++stage_;
  if (gains) {
    if (!knows_gains_) camera_->forward(x, seen_);
    multiply_bands(x, *gains);
  }
  camera_->forward(x, explained_);
  const double misfit = remainder(y, explained_, input_);  // input_ is free now: r
  for (std::size_t i = 0; i < y.size(); ++i) given_.data()[i] += input_.data()[i];
  told_.misfits.push_back(misfit);
  return misfit;
}

/// What the network gets next. Relit: Φz with z = s + GΦᵀ(ΦG²Φᵀ)⁻¹(y' − ΦGs), the scene nearest to s that explains y';
/// of a network that knows the camera ΦG, y' itself.
void Feedback::next_input(bool relit) {
  if (!relit || knows_gains_) {
    std::ranges::copy(given_.values(), input_.data());
    return;
  }
  for (std::size_t i = 0; i < input_.size(); ++i) {
    const float missing = given_.data()[i] - explained_.data()[i];
    input_.data()[i] = seen_.data()[i] + missing * to_relit_.data()[i] * from_relit_.data()[i];
  }
}

/// Further passes after the one whose cube is x; keeps the best.
void Feedback::repeat(const Network& network, const std::vector<float>* gains, const Image& y, int most, Cube& x) {
  if (most > 0 && trial_.empty()) trial_ = Cube(camera_->bands(), camera_->height(), camera_->width());
  for (int k = 0; k < most; ++k) {
    const double before = told_.misfits.back();
    next_input(gains != nullptr);
    if (!(pass(network, input_, gains, y, trial_) <= kWorthwhile * before)) return;
    std::swap(x, trial_);
    keep(static_cast<int>(told_.misfits.size()));
  }
}

void Feedback::keep(int pass) {
  told_.kept = pass;
  if (on_keep_) on_keep_();
}

/// Lines of the solver's cube, what it explains, and the diagonals for next_input().
void Feedback::take_off_lines() {
  lines_of(solved_, gains_);
  if (knows_gains_) {
    relit_.emplace(with_gains(*camera_, gains_));
    return;
  }
  inverse_.resize(gains_.size());
  for (std::size_t b = 0; b < gains_.size(); ++b) inverse_[b] = 1 / gains_[b];
  std::ranges::copy(solved_.values(), trial_.data());
  camera_->forward(trial_, explained_);
  multiply_bands(trial_, inverse_);
  camera_->forward(trial_, seen_);

  std::ranges::fill(input_.values(), 1.0f);
  camera_->adjoint(input_, trial_);
  multiply_bands(trial_, gains_);
  camera_->forward(trial_, from_relit_);
  multiply_bands(trial_, gains_);
  camera_->forward(trial_, to_relit_);
  const float most = *std::ranges::max_element(to_relit_.values());
  for (float& v : to_relit_.values()) v = v > 1e-6f * most ? 1 / v : 0.0f;
}

/// Where the first cube explains little. True when x is final.
bool Feedback::settle_lamp(const Network& network, const Image& y, double first, Cube& x) {
  stages_ += kMostPasses + 3;
  // The remainder of the first pass is in given_; passes without lines go on from there if need be.
  const double predicted =
      solver().solve(y, unit_, kAlone, solved_,
                     report_ ? Report([this](double share) { report_((stage_ + 3 * share) / stages_); }) : Report());
  stage_ += 3;
  if (trial_.empty()) trial_ = Cube(camera_->bands(), camera_->height(), camera_->width());
  take_off_lines();
  std::ranges::copy(given_.values(), kept_.data());
  std::ranges::copy(y.values(), given_.data());
  next_input(true);
  if (pass(network, input_, &gains_, y, trial_) <= kRelit * first) {
    std::swap(x, trial_);
    keep(static_cast<int>(told_.misfits.size()));
    told_.lamp = LampSide::relit;
    repeat(network, &gains_, y, kMostPasses - 1, x);
    if (told_.misfits[static_cast<std::size_t>(told_.kept) - 1] <= kRelitRefined) refine(y, x);
    return true;
  }
  std::ranges::copy(kept_.values(), given_.data());
  told_.misfits.pop_back();  // a trial that was not taken is no pass
  repeat(network, nullptr, y, kMostPasses - 1, x);
  const double left = told_.misfits[static_cast<std::size_t>(told_.kept) - 1];
  if (!(left > kMuch && left > kBetter * predicted)) return false;
  std::swap(x, solved_);
  told_.lamp = LampSide::solver;
  return true;
}

void Feedback::refine(const Image& y, Cube& x) {
  camera_->forward(x, explained_);
  remainder(y, explained_, input_);
  solver().solve(input_, unit_, kRemainder, solved_,
                 report_ ? Report([this](double share) { report_((stage_ + share) / stages_); }) : Report());
  ++stage_;
  const auto n = static_cast<std::int64_t>(x.size());
  const float* from = solved_.data();
  float* to = x.data();
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
  told_.refined = true;
}

void Feedback::run(const Image& y, const Camera& camera, const FeedbackOptions& options, const Network& network,
                   const Report& report, Cube& x, const Kept& kept) {
  prepare(camera);
  knows_gains_ = options.knows_gains;
  on_keep_ = kept;
  told_.misfits.clear();
  told_.refined = false;
  told_.lamp = LampSide::known;
  report_ = report;
  stage_ = 0;
  stages_ = (options.passes > 0 ? options.passes : kMostPasses) + (options.refine ? 1 : 0);
  unit_ = white_ > 0 ? std::sqrt(squared_norm(y)) / white_ : 0.0;

  std::ranges::copy(y.values(), given_.data());
  const double first = pass(network, y, nullptr, y, x);
  keep(1);
  if (options.passes > 0) {
    for (int k = 1; k < options.passes; ++k) {
      next_input(false);
      pass(network, input_, nullptr, y, x);
      keep(k + 1);
    }
  } else if (options.refine && first > kDoubt) {
    if (settle_lamp(network, y, first, x)) return;
  } else {
    repeat(network, nullptr, y, kMostPasses - 1, x);
  }
  const bool refused = told_.misfits.size() > static_cast<std::size_t>(told_.kept);
  const bool noise = refused && told_.misfits[static_cast<std::size_t>(told_.kept) - 1] > kNoise;
  if (options.refine && !noise) refine(y, x);
}

std::string to_string(LampSide side) {
  switch (side) {
    case LampSide::relit:
      return "relit";
    case LampSide::solver:
      return "solver";
    default:
      return "known";
  }
}

}  // namespace snapcube
