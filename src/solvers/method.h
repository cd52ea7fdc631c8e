#pragma once
// What a reconstruction method implements, and the list of all of them.

#include <memory>
#include <string>

#include <snapcube/reconstructor.h>

#include "solvers/parameters.h"

namespace snapcube {

class Reconstructor::Method {
 public:
  virtual ~Method() = default;
  virtual MethodInfo info() = 0;
  virtual void configure(const Settings& settings) = 0;
  virtual Cube reconstruct(const Image& measurement, const Camera& camera, const ProgressCallback& progress) = 0;
  virtual CameraOptions camera_defaults() const { return {}; }
  virtual const SparsityMap* sparsity_map() const { return nullptr; }
};

// The methods; each is defined in the file of its name.
std::unique_ptr<Reconstructor::Method> make_gap_tv();  // gap_tv.cpp
std::unique_ptr<Reconstructor::Method> make_twist();   // twist.cpp
std::unique_ptr<Reconstructor::Method> make_desci();   // desci.cpp

}  // namespace snapcube
