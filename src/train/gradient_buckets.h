#pragma once
// Averages gradients over ranks while the backward pass still runs. (c10d's own Reducer does the same, but Debian's
// libtorch does not ship a header that it includes.)

#include <cstddef>
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

namespace snapcube {

class GradientBuckets {
 public:
  /// The same parameters, in the same order, on every rank.
  GradientBuckets(const std::vector<torch::Tensor>& parameters, c10::intrusive_ptr<c10d::ProcessGroup> group);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  /// Before the backward pass whose gradients complete the step's.
  void begin();
  /// After it: waits for the buckets and puts the means into the gradients. A parameter without a gradient counts as 0.
  void finish();

 private:
  struct Bucket {
    std::vector<std::size_t> parameters;
    std::size_t missing = 0;  ///< gradients that are still being computed
    torch::Tensor flat;
    c10::intrusive_ptr<c10d::Work> work;
  };
  void gradient_is_ready(std::size_t parameter);
  void send(Bucket& bucket);

  std::vector<torch::Tensor> parameters_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;
  std::size_t sent_ = 0;  ///< buckets on their way: every rank sends them in the same order
  bool active_ = false;
  /// libtorch holds these weakly; with them our hooks would go.
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
  std::vector<std::pair<torch::autograd::Node*, std::uintptr_t>> hooks_;
};

}  // namespace snapcube
