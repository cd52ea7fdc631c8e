#pragma once
// The processes that train together, over libtorch's c10d with Gloo. One process alone is the common case and needs
// none of it.

#include <memory>
#include <string>
#include <torch/torch.h>
#include <vector>

namespace snapcube {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }

  /// The parameters whose gradients are to be averaged; once, before the first step.
  virtual void watch(const std::vector<torch::Tensor>& parameters) = 0;
  /// Around a backward pass: afterwards the gradients are the mean over the ranks. They travel in buckets while others
  /// are still being computed.
  virtual void begin_average() = 0;
  virtual void finish_average() = 0;

  /// The mean of a number over the ranks, and the largest.
  virtual double mean(double value) = 0;
  virtual double largest(double value) = 0;
  /// As rank 0 has it.
  virtual void broadcast(const std::vector<torch::Tensor>& tensors) = 0;
  virtual std::string broadcast(const std::string& text) = 0;
};

/// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets them; what base/rank_variables.h knows in place
/// of the first two; alone where neither is set. Throws InputError when they contradict, Error when the others do not
/// answer.
std::unique_ptr<Ranks> join_ranks();

}  // namespace snapcube
