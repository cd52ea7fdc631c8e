#pragma once

#include "train/ranks.h"

namespace snapcube::testing {

/// The only rank.
class Alone : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void watch(const std::vector<torch::Tensor>&) override {}
  void begin_average() override {}
  void finish_average() override {}
  double mean(double value) override { return value; }
  double largest(double value) override { return value; }
  void broadcast(const std::vector<torch::Tensor>&) override {}
  std::string broadcast(const std::string& text) override { return text; }
};

}  // namespace snapcube::testing
