#include "train/gradient_buckets.h"

#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <utility>

namespace snapcube {

namespace {

/// Floats of a bucket: 1 MB. CST-S has 4.8 MB of gradients.
constexpr std::int64_t kBucketSize = 1 << 18;

}  // namespace

GradientBuckets::GradientBuckets(const std::vector<torch::Tensor>& parameters,
                                 c10::intrusive_ptr<c10d::ProcessGroup> group)
    : parameters_(parameters), group_(std::move(group)), bucket_of_(parameters.size()) {
  // The last layers' gradients are ready first.
  std::int64_t size = kBucketSize;
  for (std::size_t i = parameters_.size(); i-- > 0;) {
    if (size >= kBucketSize) {
      buckets_.emplace_back();
      size = 0;
    }
    buckets_.back().parameters.push_back(i);
    bucket_of_[i] = buckets_.size() - 1;
    size += parameters_[i].numel();
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto accumulator = torch::autograd::impl::grad_accumulator(parameters_[i]);
    const auto hook = accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
        [this, i](const torch::autograd::variable_list& outputs, const torch::autograd::variable_list&) {
          if (active_) gradient_is_ready(i);
          return outputs;
        }));
    hooks_.emplace_back(accumulator.get(), hook);
    accumulators_.push_back(std::move(accumulator));
  }
}

GradientBuckets::~GradientBuckets() {
  for (const auto& [node, hook] : hooks_) node->del_post_hook(hook);
}

void GradientBuckets::begin() {
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters.size();
  sent_ = 0;
  active_ = true;
}

void GradientBuckets::gradient_is_ready(std::size_t parameter) {
  --buckets_[bucket_of_[parameter]].missing;
  while (sent_ < buckets_.size() && buckets_[sent_].missing == 0) send(buckets_[sent_++]);
}

void GradientBuckets::send(Bucket& bucket) {
  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> parts;
  for (const std::size_t i : bucket.parameters) {
    const auto& gradient = parameters_[i].grad();
    parts.push_back(gradient.defined() ? gradient.reshape({-1}).cpu()
                                       : torch::zeros({parameters_[i].numel()}, torch::kFloat));
  }
  bucket.flat = torch::cat(parts);
  std::vector<torch::Tensor> list{bucket.flat};
  bucket.work = group_->allreduce(list);
}

void GradientBuckets::finish() {
  const torch::NoGradGuard no_gradient;
  active_ = false;
  while (sent_ < buckets_.size()) send(buckets_[sent_++]);
  for (Bucket& bucket : buckets_) {
    bucket.work->wait();
    bucket.flat.div_(group_->getSize());
    std::int64_t at = 0;
    for (const std::size_t i : bucket.parameters) {
      auto& parameter = parameters_[i];
      const auto mean = bucket.flat.slice(0, at, at + parameter.numel()).view(parameter.sizes());
      if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
      parameter.mutable_grad().copy_(mean);
      at += parameter.numel();
    }
    bucket.work.reset();
  }
}

}  // namespace snapcube
