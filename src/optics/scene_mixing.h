#pragma once
// How a scene becomes a cube: each pixel is a weighted sum of material spectra. A scene says how
// much of each material a pixel shows; the weights contain light and shade.

#include <functional>
#include <vector>

#include <snapcube/scene.h>

#include "optics/scene_spectra.h"

namespace snapcube {

/// Weights of all materials along one row of pixels.
class RowWeights {
 public:
  RowWeights(int materials, int width) : width_(width), values_(static_cast<std::size_t>(materials) * width) {}

  void clear() { values_.assign(values_.size(), 0.0); }
  void add(int material, int x, double weight) { of(material)[x] += weight; }
  double* of(int material) { return values_.data() + static_cast<std::size_t>(material) * width_; }
  const double* of(int material) const { return values_.data() + static_cast<std::size_t>(material) * width_; }

 private:
  int width_;
  std::vector<double> values_;
};

/// cube[b] = Σ_m weight_m · spectrum_m(λ_b), clipped to [0,1] and rounded to 1/65536, which hides
/// what different machines round differently in exp and sin. `paint` fills one row and is called
/// from several threads.
Cube mix_rows(const SceneOptions& options, const std::vector<Spectrum>& spectra,
              const std::function<void(int y, RowWeights&)>& paint);

/// What a scene shows at one point: a few materials with weights.
class PointWeights {
 public:
  void add(int material, double weight) {
    if (weight > 0 && count_ < kCapacity) entries_[count_++] = {material, weight};
  }

  struct Entry {
    int material;
    double weight;
  };
  const Entry* begin() const { return entries_; }
  const Entry* end() const { return entries_ + count_; }

 private:
  static constexpr int kCapacity = 6;
  Entry entries_[kCapacity];
  int count_ = 0;
};

/// Evaluates the scene at 4×4 points of each pixel. (u, v) is 0 in the middle of the picture; the
/// shorter side reaches from −1 to 1, v points down. `index` is the number of the point in its
/// pixel, 0 … 15.
inline constexpr int kSamplesPerSide = 4;
using PointPainter = std::function<void(double u, double v, int index, PointWeights&)>;
Cube mix_points(const SceneOptions& options, const std::vector<Spectrum>& spectra, const PointPainter& paint);

// The scenes. The size and the wavelengths have been checked.
Cube make_chart(const SceneOptions& options);
Cube make_still_life(const SceneOptions& options);
Cube make_texture(const SceneOptions& options);
Cube make_resolution(const SceneOptions& options);

}  // namespace snapcube
