#include "calibration/alignment.h"

#include <algorithm>

#include "calibration/phase_correlation.h"
#include "calibration/registration.h"
#include "calibration/sampling.h"

namespace snapcube {

namespace {

/// How often each capture is compared with the mean that the comparison before gave.
constexpr int kRounds = 2;

Region whole(const Image& image) { return {0, 0, image.height(), image.width()}; }

/// All images as the one in the middle lies, and their mean over those that reach a pixel.
Image mean_of(const std::vector<Image>& images, const std::vector<Similarity>& motions, const Place& centre) {
  Image mean(images.front().height(), images.front().width());
#pragma omp parallel for schedule(static)
  for (int y = 0; y < mean.height(); ++y) {
    for (int x = 0; x < mean.width(); ++x) {
      double sum = 0;
      int count = 0;
      for (std::size_t k = 0; k < images.size(); ++k) {
        const Place at = motions[k].apply({static_cast<double>(x), static_cast<double>(y)}, centre);
        if (at.x < 1 || at.y < 1 || at.x > mean.width() - 2 || at.y > mean.height() - 2) continue;
        sum += cubic(images[k], at.x, at.y);
        ++count;
      }
      mean(y, x) = count > 0 ? static_cast<float>(sum / count) : 0.0f;
    }
  }
  return mean;
}

Place centre_of(const Image& image) { return {(image.width() - 1) / 2.0, (image.height() - 1) / 2.0}; }

/// The way back, about the same centre.
Similarity inverse(const Similarity& motion) {
  const Place moved = motion.undo({0, 0}, {0, 0});
  return {moved.x, moved.y, -motion.turn, 1 / motion.scale};
}

}  // namespace

Neighbours compare_neighbours(const std::vector<Image>& images, const std::function<void(double)>& told) {
  Neighbours result;
  for (std::size_t k = 0; k + 1 < images.size(); ++k) {
    const Shift shift = phase_correlation(images[k], images[k + 1]);
    const Registration found =
        register_images(images[k], images[k + 1], whole(images[k]), centre_of(images[k]), {shift.dx, shift.dy, 0, 1});
    result.motions.push_back(found.motion);
    result.correlations.push_back(found.correlation);
    told(static_cast<double>(k + 1) / static_cast<double>(images.size() - 1));
  }
  return result;
}

Alignment align_captures(const std::vector<Image>& images, const Neighbours& neighbours,
                         const std::function<void(double)>& told) {
  const std::size_t n = images.size();
  Alignment result;
  result.middle = n / 2;
  result.centre = centre_of(images.front());
  const double steps = kRounds * static_cast<double>(n + 1);
  double done = 0;
  const auto step = [&] { told(++done / steps); };

  // The motions from the middle follow by going along the chain.
  result.motions.resize(n);
  for (std::size_t k = result.middle; k + 1 < n; ++k) {
    result.motions[k + 1] = neighbours.motions[k].after(result.motions[k], result.centre);
  }
  for (std::size_t k = result.middle; k > 0; --k) {
    result.motions[k - 1] = inverse(neighbours.motions[k - 1]).after(result.motions[k], result.centre);
  }

  // Errors of a chain add up. Against the mean of all they do not.
  result.correlations.resize(n);
  for (int round = 0; round < kRounds; ++round) {
    const Image mean = mean_of(images, result.motions, result.centre);
    step();
    for (std::size_t k = 0; k < n; ++k) {
      const Registration found = register_images(mean, images[k], whole(mean), result.centre, result.motions[k]);
      result.motions[k] = found.motion;
      result.correlations[k] = found.correlation;
      step();
    }
    // The one in the middle is where it is: all others against it.
    const Similarity home = inverse(result.motions[result.middle]);
    for (Similarity& motion : result.motions) motion = motion.after(home, result.centre);
  }
  result.mean = mean_of(images, result.motions, result.centre);
  return result;
}

}  // namespace snapcube
