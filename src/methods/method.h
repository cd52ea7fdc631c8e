#pragma once
// What a reconstruction method implements, and the list of all of them: what a user can name.

#include <memory>
#include <string>
#include <vector>

#include <snapcube/reconstructor.h>

#include "methods/parameters.h"

namespace snapcube {

struct Weights;

class Reconstructor::Method {
 public:
  virtual ~Method() = default;
  virtual MethodInfo info() = 0;
  virtual void configure(const Settings& settings) = 0;
  /// Fills `out`, bands × height × width as the camera has them. Both views have plain rows, and no band of `out` lies
  /// before its first.
  virtual void reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                           const CubeView& out) = 0;
  virtual CameraOptions camera_defaults() const { return {}; }
  virtual bool fits(const Camera&) const { return true; }
  /// Of the cubes it makes with this camera; empty: not known.
  virtual const std::vector<double>& wavelengths(const Camera& camera) const { return camera.wavelengths(); }
  virtual const SparsityMap* sparsity_map() const { return nullptr; }
  virtual const Image* expected_error() const { return nullptr; }
  virtual const PassReport* passes() const { return nullptr; }
};

/// A method that works on a cube of its own, iteration by iteration, and hands it over at the end.
class SolverMethod : public Reconstructor::Method {
 public:
  void reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                   const CubeView& out) final;

 protected:
  /// Fills x, which has the camera's sizes and wavelengths, and any values.
  virtual void solve(const Image& y, const Camera& camera, const ProgressCallback& progress, Cube& x) = 0;

 private:
  Image measurement_;
  Cube cube_;
};

// The methods; each is defined in the file of its name.
std::unique_ptr<Reconstructor::Method> make_gap_tv();
std::unique_ptr<Reconstructor::Method> make_twist();
std::unique_ptr<Reconstructor::Method> make_desci();
std::unique_ptr<Reconstructor::Method> make_cst_method(const Weights& weights);
std::unique_ptr<Reconstructor::Method> make_mst_method(const Weights& weights);
std::unique_ptr<Reconstructor::Method> make_prism_method(const Weights& weights);

}  // namespace snapcube
