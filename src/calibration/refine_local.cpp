#include "calibration/refine_local.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "calibration/refine_camera.h"

namespace snapcube {

namespace {

constexpr int kMostHats = 8;
constexpr int kPlane = 3;  // constant, row, column
/// Lets windows be solved that lack light of some bands, relative to the mean of the diagonal.
constexpr double kRidge = 1e-6;
/// Rows and columns of windows that share edges of the scene, because the bands spread them, are one witness.
constexpr int kGroupRows = 2;
constexpr int kGroupColumns = 4;
constexpr double kBlurDifference = 0.01;
constexpr double kDegree = std::numbers::pi / 180;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

/// The masks and positions of one drift.
struct LocalFit::Optics {
  Drift drift;
  std::vector<Image> masks;
  std::vector<Image> softer;  ///< blurred a little more, and a little less, for the derivative
  std::vector<Image> sharper;
  std::vector<MaskContrast> contrast;
  std::vector<float> means;
  MaskReading reading;
  DriftedPositions positions;
};

LocalFit::Optics LocalFit::optics(const Drift& drift) const {
  Optics o{drift, {}, {}, {}, {}, {}, reading_, drifted_positions(camera_.positions, drift)};
  for (const Image& mask : masks_) {
    o.masks.push_back(blurred_mask(mask, drift.blur));
    o.softer.push_back(blurred_mask(mask, drift.blur + kBlurDifference));
    o.sharper.push_back(blurred_mask(mask, drift.blur - kBlurDifference));
    o.contrast.push_back(contrast_of(o.masks.back(), drift.contrast));
    o.means.push_back(contrast_of(o.masks.back(), 0).offset);
  }
  // Positions on the detector: the first band of the camera at hand is at 0.
  const double first = *std::ranges::min_element(camera_.positions);
  for (double& along : o.positions.along) along -= first;
  return o;
}

/// Fits windows; one a thread.
class LocalFit::Worker {
 public:
  explicit Worker(const LocalFit& fit)
      : fit_(fit),
        bands_(fit.camera_.bands()),
        hats_(std::min(kMostHats, bands_)),
        sampled_(bands_, kPixels),
        design_(kPlane * hats_, kPixels),
        gram_(kPlane * hats_, kPlane * hats_),
        c_(kPlane * hats_),
        y_(kPixels),
        seen_(kPixels),
        line_(kWindow) {
    for (Eigen::Index i = 0; i < kPixels; ++i) {
      down_.push_back(static_cast<double>(i / kWindow) / (0.5 * (kWindow - 1)) - 1);
      right_.push_back(static_cast<double>(i % kWindow) / (0.5 * (kWindow - 1)) - 1);
    }
  }

  /// What is left of a window, y − …
  const Eigen::VectorXd& left(const FitWindow& window, const Optics& optics) {
    load(window);
    sample(window, optics, optics.masks, 0, 0, sampled_);
    design_.setZero();
    for (int b = 0; b < bands_; ++b) {
      const Hat hat = hat_of(b);
      const MaskContrast contrast = optics.contrast[optics.masks.size() > 1 ? static_cast<std::size_t>(b) : 0];
      for (Eigen::Index i = 0; i < kPixels; ++i) {
        if (!reached(b, i)) continue;
        const double v = (contrast.factor * sampled_(b, i) + contrast.offset) * seen_(i);
        add(hat.index, i, (1 - hat.to_next) * v);
        if (hat.to_next > 0) add(hat.index + 1, i, hat.to_next * v);
      }
    }
    gram_.setZero();
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(design_);
    const double ridge = kRidge * gram_.diagonal().mean();
    gram_.diagonal().array() += ridge > 0 ? ridge : 1;
    factor_.compute(gram_.selfadjointView<Eigen::Lower>());
    c_ = factor_.solve(design_ * y_);
    rest_ = y_ - design_.transpose() * c_;
    return rest_;
  }

  double light() const { return y_.squaredNorm(); }
  int count() const { return static_cast<int>(seen_.sum() + 0.5); }

  /// Derivatives of what left() found, in steps of the parameters: the part of −Σ ∂m_b/∂θ · (…) that other c cannot
  /// make up for (Kaufman's form of variable projection).
  void slopes(const FitWindow& window, const Optics& optics, const std::vector<std::size_t>& parameters,
              Eigen::MatrixXd& out) {
    constexpr double kStep = 0.02;  // pixels
    differences(window, optics, optics.masks, optics.masks, kStep, 0, by_row_);
    differences(window, optics, optics.masks, optics.masks, 0, kStep, by_column_);
    differences(window, optics, optics.softer, optics.sharper, 0, 0, by_blur_);
    const Geometry g(fit_, optics.drift);
    Eigen::Matrix<double, Eigen::Dynamic, kDriftParameters> all(kPixels, kDriftParameters);
    all.setZero();
    for (int b = 0; b < bands_; ++b) {
      const std::size_t which = optics.masks.size() > 1 ? static_cast<std::size_t>(b) : 0;
      const float contrast = optics.contrast[which].factor;
      const Hat hat = hat_of(b);
      const double along = optics.positions.along[static_cast<std::size_t>(b)];
      const double across = optics.positions.across[static_cast<std::size_t>(b)];
      for (Eigen::Index i = 0; i < kPixels; ++i) {
        if (!reached(b, i)) continue;
        // Of the scene, where the band falls.
        const double x =
            (1 - hat.to_next) * plane(hat.index, i) + (hat.to_next > 0 ? hat.to_next * plane(hat.index + 1, i) : 0);
        const double r = contrast * x * by_row_(b, i);
        const double c = contrast * x * by_column_(b, i);
        const double row = static_cast<double>(window.row + i / kWindow) - g.middle_row - optics.drift.down -
                           (g.columns ? across : along);
        const double column = static_cast<double>(window.column + i % kWindow) - g.middle_column - optics.drift.right -
                              (g.columns ? along : across);
        const double right = r * g.sine - c * g.cosine;
        const double down = -r * g.cosine - c * g.sine;
        const double turn =
            kDegree * (r * (-g.sine * row - g.cosine * column) + c * (g.cosine * row - g.sine * column));
        const Geometry::Band& band = g.bands[static_cast<std::size_t>(b)];
        const double with = g.columns ? right : down;
        const double beside = g.columns ? down : right;
        all(i, 0) += right;
        all(i, 1) += down;
        all(i, 2) += turn;
        all(i, 3) += with * band.slope;
        all(i, 4) += with * band.curvature;
        all(i, 5) += beside * band.angle;
        all(i, 6) += contrast * x * by_blur_(b, i) / kBlurDifference;
        all(i, 7) += x * (sampled_(b, i) - optics.means[which]);
      }
    }
    out.resize(kPixels, static_cast<Eigen::Index>(parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      out.col(static_cast<Eigen::Index>(k)) = -drift_parameters()[parameters[k]].step *
                                              all.col(static_cast<Eigen::Index>(parameters[k])).cwiseProduct(seen_);
    }
    const Eigen::MatrixXd along_design = factor_.solve(design_ * out);
    out -= design_.transpose() * along_design;
  }

 private:
  static constexpr Eigen::Index kPixels = kWindow * kWindow;

  struct Hat {
    Eigen::Index index;
    double to_next;
  };
  Hat hat_of(int b) const {
    const double place = bands_ > 1 ? static_cast<double>(b) * static_cast<double>(hats_ - 1) / (bands_ - 1) : 0;
    const auto index = std::min(static_cast<Eigen::Index>(place), hats_ - 1);
    return {index, index + 1 < hats_ ? place - static_cast<double>(index) : 0.0};
  }

  /// What does not differ from pixel to pixel.
  struct Geometry {
    struct Band {
      double slope;
      double curvature;
      double angle;
    };
    Geometry(const LocalFit& fit, const Drift& drift)
        : columns(fit.camera_.axis == Axis::columns),
          middle_row((fit.masks_.front().height() - 1) / 2.0),
          middle_column((fit.masks_.front().width() - 1) / 2.0),
          cosine(std::cos(kDegree * drift.turn)),
          sine(std::sin(kDegree * drift.turn)) {
      const auto [first, last] = std::ranges::minmax(fit.camera_.positions);
      const double middle = (first + last) / 2;
      const double span = last - first;
      const double secant = 1 / std::cos(kDegree * drift.angle);
      for (const double o : fit.camera_.positions) {
        const double t = span > 0 ? (o - middle) / (span / 2) : 0;
        bands.push_back({o - middle, span * (t * t - 1.0 / 3), (o - middle) * secant * secant * kDegree});
      }
    }
    bool columns;
    double middle_row;
    double middle_column;
    double cosine;
    double sine;
    std::vector<Band> bands;
  };

  void load(const FitWindow& window) {
    const PreparedFrame& frame = fit_.frames_[window.capture];
    for (int i = 0; i < kPixels; ++i) {
      const int row = window.row + i / kWindow;
      const int column = window.column + i % kWindow;
      const bool seen = frame.weights.empty() || frame.weights(row, column) > 0;
      seen_(i) = seen ? 1 : 0;
      y_(i) = seen ? frame.values(row, column) : 0;
    }
  }

  void add(Eigen::Index hat, Eigen::Index i, double v) {
    const auto at = static_cast<std::size_t>(i);
    design_(kPlane * hat, i) += v;
    design_(kPlane * hat + 1, i) += v * down_[at];
    design_(kPlane * hat + 2, i) += v * right_[at];
  }
  double plane(Eigen::Index hat, Eigen::Index i) const {
    const auto at = static_cast<std::size_t>(i);
    return c_(kPlane * hat) + c_(kPlane * hat + 1) * down_[at] + c_(kPlane * hat + 2) * right_[at];
  }

  /// The scene ends with the mask: whether band b reaches a pixel of the window.
  bool reached(int b, Eigen::Index i) const {
    return i / kWindow >= first_row_[static_cast<std::size_t>(b)] &&
           i / kWindow < end_row_[static_cast<std::size_t>(b)] &&
           i % kWindow >= first_column_[static_cast<std::size_t>(b)] &&
           i % kWindow < end_column_[static_cast<std::size_t>(b)];
  }

  /// out(b, p) = mask of band b where it falls on p, from `down`, `right` pixels beside it in the mask.
  void sample(const FitWindow& window, const Optics& optics, const std::vector<Image>& masks, double down, double right,
              Matrix& out) {
    const bool columns = fit_.camera_.axis == Axis::columns;
    out.resize(bands_, kPixels);
    first_row_.assign(static_cast<std::size_t>(bands_), 0);
    end_row_.assign(static_cast<std::size_t>(bands_), kWindow);
    first_column_ = first_row_;
    end_column_ = end_row_;
    for (int b = 0; b < bands_; ++b) {
      const auto band = static_cast<std::size_t>(b);
      const Image& mask = masks[masks.size() > 1 ? band : 0];
      const double along = optics.positions.along[band];
      const double across = optics.positions.across[band];
      auto& first = columns ? first_column_[band] : first_row_[band];
      auto& end = columns ? end_column_[band] : end_row_[band];
      const int start = columns ? window.column : window.row;
      first = std::clamp(static_cast<int>(std::ceil(along - 0.5)) - start, 0, kWindow);
      end = std::clamp(static_cast<int>(std::ceil(along + (columns ? mask.width() : mask.height()) - 0.5)) - start, 0,
                       kWindow);
      if (first >= end) continue;
      for (int r = first_row_[band]; r < end_row_[band]; ++r) {
        MaskLine line = line_in_mask(mask, optics.drift, window.row + r, window.column, columns ? across : along,
                                     columns ? along : across);
        line.row += down;
        line.column += right;
        sample_mask(mask, optics.reading, line, kWindow, line_.data());
        for (int c = 0; c < kWindow; ++c) out(b, r * kWindow + c) = line_[static_cast<std::size_t>(c)];
      }
    }
  }

  /// Half the difference of two masks, or of one at two places, over the step between them.
  void differences(const FitWindow& window, const Optics& optics, const std::vector<Image>& more,
                   const std::vector<Image>& less, double down, double right, Matrix& out) {
    sample(window, optics, more, down, right, out);
    sample(window, optics, less, -down, -right, spare_);
    const double over = down + right > 0 ? 2 * (down + right) : 2;
    out = (out - spare_) / over;
  }

  const LocalFit& fit_;
  int bands_;
  Eigen::Index hats_;
  Matrix sampled_;
  Matrix by_row_, by_column_, by_blur_, spare_;
  Matrix design_;
  Eigen::MatrixXd gram_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd c_;
  Eigen::VectorXd y_;
  Eigen::VectorXd seen_;
  Eigen::VectorXd rest_;
  std::vector<float> line_;
  std::vector<double> down_, right_;  ///< −1 … 1 over the window
  std::vector<int> first_row_, end_row_, first_column_, end_column_;
};

LocalFit::LocalFit(const CameraFile& camera, const std::vector<PreparedFrame>& frames)
    : camera_(camera), frames_(frames) {
  if (camera.masks.empty()) {
    masks_.push_back(camera.mask);
  } else {
    for (int b = 0; b < camera.bands(); ++b) {
      masks_.emplace_back(camera.masks.height(), camera.masks.width());
      std::copy_n(camera.masks.band(b), camera.masks.band_size(), masks_.back().data());
    }
  }
  reading_ = reading_of(masks_.front());
  const Camera device = camera.camera();
  detector_height_ = device.detector_height();
  detector_width_ = device.detector_width();
}

LocalFit::~LocalFit() = default;

std::vector<FitWindow> LocalFit::windows(double radius, std::size_t most) const {
  constexpr int kMargin = 4;  // what a shift brings in from outside is not known
  constexpr double kLeastSeen = 0.8;
  std::vector<FitWindow> all;
  const double middle_row = (detector_height_ - kWindow) / 2.0;
  const double middle_column = (detector_width_ - kWindow) / 2.0;
  for (std::size_t capture = 0; capture < frames_.size(); ++capture) {
    const PreparedFrame& frame = frames_[capture];
    for (int row = kMargin; row + kWindow + kMargin <= detector_height_; row += kWindow) {
      for (int column = kMargin; column + kWindow + kMargin <= detector_width_; column += kWindow) {
        if (std::fabs(row - middle_row) > radius || std::fabs(column - middle_column) > radius) continue;
        int seen = 0;
        double light = 0;
        for (int i = 0; i < kWindow * kWindow; ++i) {
          const int r = row + i / kWindow;
          const int c = column + i % kWindow;
          if (!frame.weights.empty() && !(frame.weights(r, c) > 0)) continue;
          ++seen;
          light += std::fabs(frame.values(r, c));
        }
        if (seen >= kLeastSeen * kWindow * kWindow && light > 0) all.push_back({capture, row, column});
      }
    }
  }
  if (all.size() <= most) return all;
  std::vector<FitWindow> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

double LocalFit::objective(const std::vector<FitWindow>& windows, const Drift& drift) const {
  return evaluate(windows, drift, {}).objective;
}

LocalFitValue LocalFit::evaluate(const std::vector<FitWindow>& windows, const Drift& drift,
                                 const std::vector<std::size_t>& parameters) const {
  const std::size_t n = parameters.size();
  const Optics here = optics(drift);
  struct One {
    double left = 0;
    double light = 0;
    int count = 0;
    Eigen::VectorXd gradient;
    Eigen::MatrixXd curvature;
  };
  std::vector<One> each(windows.size());
  parallel_for(
      static_cast<std::int64_t>(windows.size()), [&] { return Worker(*this); },
      [&](std::int64_t i, Worker& worker) {
        const FitWindow& window = windows[static_cast<std::size_t>(i)];
        One& one = each[static_cast<std::size_t>(i)];
        const Eigen::VectorXd& rest = worker.left(window, here);
        one.light = worker.light();
        one.count = worker.count();
        // A window that is explained to a millionth has no more to say.
        one.left = std::max(rest.squaredNorm(), 1e-12 * one.light);
        if (n == 0) return;
        Eigen::MatrixXd slopes;
        worker.slopes(window, here, parameters, slopes);
        const double weight = one.count / one.left;
        one.gradient = weight * (slopes.transpose() * rest);
        one.curvature = weight * (slopes.transpose() * slopes);
      });

  LocalFitValue value;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size);
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(size, size);
  std::vector<std::pair<std::array<std::size_t, 3>, Eigen::VectorXd>> groups;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const One& one = each[i];
    value.objective += 0.5 * one.count * std::log(one.left > 0 ? one.left : 1e-300);
    value.left += one.left;
    value.light += one.light;
    if (n == 0) continue;
    gradient += one.gradient;
    curvature += one.curvature;
    const bool columns = camera_.axis == Axis::columns;
    const int rows = kWindow * (columns ? kGroupRows : kGroupColumns);
    const int across = kWindow * (columns ? kGroupColumns : kGroupRows);
    const std::array<std::size_t, 3> group = {windows[i].capture, static_cast<std::size_t>(windows[i].row / rows),
                                              static_cast<std::size_t>(windows[i].column / across)};
    const auto found = std::ranges::find(groups, group, [](const auto& g) { return g.first; });
    if (found == groups.end()) {
      groups.emplace_back(group, one.gradient);
    } else {
      found->second += one.gradient;
    }
  }
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(size, size);
  for (const auto& [group, g] : groups) scatter += g * g.transpose();
  value.gradient.assign(gradient.begin(), gradient.end());
  value.curvature.assign(curvature.data(), curvature.data() + curvature.size());
  value.scatter.assign(scatter.data(), scatter.data() + scatter.size());
  return value;
}

}  // namespace snapcube
