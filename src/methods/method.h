#pragma once
// What a reconstruction method implements, and the list of all of them: what a user can name.

#include <memory>
#include <string>

#include <snapcube/reconstructor.h>

#include "methods/parameters.h"

namespace snapcube {

struct Weights;

class Reconstructor::Method {
 public:
  virtual ~Method() = default;
  virtual MethodInfo info() = 0;
  virtual void configure(const Settings& settings) = 0;
  virtual Cube reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) = 0;
  virtual CameraOptions camera_defaults() const { return {}; }
  virtual const SparsityMap* sparsity_map() const { return nullptr; }
  virtual const Image* expected_error() const { return nullptr; }
  virtual const PassReport* passes() const { return nullptr; }
};

// The methods; each is defined in the file of its name.
std::unique_ptr<Reconstructor::Method> make_gap_tv();
std::unique_ptr<Reconstructor::Method> make_twist();
std::unique_ptr<Reconstructor::Method> make_desci();
std::unique_ptr<Reconstructor::Method> make_cst_method(const Weights& weights);
std::unique_ptr<Reconstructor::Method> make_mst_method(const Weights& weights);
std::unique_ptr<Reconstructor::Method> make_prism_method(const Weights& weights);

}  // namespace snapcube
