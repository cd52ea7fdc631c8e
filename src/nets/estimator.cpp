#include "nets/estimator.h"

#include <vector>

#include "nets/fast_layers.h"
#include "nets/planes.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

nn::Conv2d pointwise(int inputs, int outputs) { return nn::Conv2d(nn::Conv2dOptions(inputs, outputs, 1).bias(false)); }

nn::Conv2d depthwise(int channels, int stride) {
  return nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).stride(stride).padding(1).groups(channels).bias(false));
}

constexpr double kDropout = 0.5;

torch::Tensor leaky(const torch::Tensor& x) { return torch::leaky_relu(x, 0.1); }

torch::Tensor run(nn::Conv2dImpl& layer, const torch::Tensor& x, bool fast) {
  return fast ? fast_convolution(x, layer) : layer.forward(x);
}

/// Layers first … first + 2: 1×1, depthwise, 1×1.
torch::Tensor expansion(nn::ModuleListImpl& layers, std::size_t first, const torch::Tensor& x, bool fast) {
  auto& expand = layers.at<nn::Conv2dImpl>(first);
  auto& depthwise = layers.at<nn::Conv2dImpl>(first + 1);
  auto& reduce = layers.at<nn::Conv2dImpl>(first + 2);
  if (fast) return fast_expansion(x, expand, depthwise, reduce);
  return reduce.forward(leaky(depthwise.forward(leaky(expand.forward(x)))));
}

}  // namespace

AsppImpl::AsppImpl(int channels) {
  convs_ = register_module("convs", nn::ModuleList());
  for (const int rate : {3, 6}) {
    convs_->push_back(nn::Sequential(
        nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).padding(rate).dilation(rate).bias(false)), nn::ReLU()));
  }
  convs_->push_back(nn::Sequential(nn::AdaptiveAvgPool2d(1), pointwise(channels, channels), nn::ReLU()));
  project_ =
      register_module("project", nn::Sequential(pointwise(3 * channels, channels), nn::ReLU(), nn::Dropout(kDropout)));
}

torch::Tensor AsppImpl::forward(const torch::Tensor& x) {
  const bool fast = use_kernels && is_for_kernels(x);
  std::vector<torch::Tensor> views;
  for (std::size_t i = 0; i < 2; ++i) {
    views.push_back(torch::relu(run(convs_->at<nn::SequentialImpl>(i).at<nn::Conv2dImpl>(0), x, fast)));
  }
  const auto pooled = convs_->at<nn::SequentialImpl>(2).forward(x);
  views.push_back(pooled.expand_as(x));  // one pixel, broadcast
  auto& project = project_->at<nn::Conv2dImpl>(0);
  if (!fast) return dropped(torch::relu(project.forward(torch::cat(views, 1))));
  for (auto& v : views) v = rows_of(v);
  return dropped(torch::relu(run(project, map_of(torch::cat(views, 2)), fast)));
}

/// Dropout, the same for every layout in memory.
torch::Tensor AsppImpl::dropped(const torch::Tensor& x) {
  if (!is_training()) return x;
  return x * torch::empty(x.sizes(), x.options()).bernoulli_(1 - kDropout).div_(1 - kDropout);
}

EstimatorImpl::EstimatorImpl(int channels, bool error_map) {
  in_proj_ = register_module("in_proj", pointwise(channels, channels));
  encoder_ = register_module("encoder_layers", nn::ModuleList());
  bottleneck_ = register_module("bottleneck", Aspp(4 * channels));
  decoder_ = register_module("decoder_layers", nn::ModuleList());
  out_conv_ = register_module(
      "out_conv2", nn::Conv2d(nn::Conv2dOptions(channels, channels + (error_map ? 1 : 0), 3).padding(1).bias(false)));
  for (const int d : {channels, 2 * channels}) {
    encoder_->push_back(nn::ModuleList(pointwise(d, 2 * d), depthwise(2 * d, 2), pointwise(2 * d, 2 * d)));
  }
  for (const int d : {4 * channels, 2 * channels}) {
    decoder_->push_back(nn::ModuleList(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(d, d / 2, 2).stride(2)),
                                       pointwise(d / 2, d), depthwise(d, 1), pointwise(d, d / 2)));
  }
}

torch::Tensor EstimatorImpl::forward(const torch::Tensor& x) {
  const bool fast = use_kernels && is_for_kernels(x);
  bottleneck_->use_kernels = use_kernels;
  auto feature = leaky(run(*in_proj_, x, fast));
  std::vector<torch::Tensor> skips;
  for (std::size_t i = 0; i < encoder_->size(); ++i) {
    skips.push_back(feature);
    feature = expansion(encoder_->at<nn::ModuleListImpl>(i), 0, feature, fast);
  }
  feature = bottleneck_(feature) + feature;
  for (std::size_t i = 0; i < decoder_->size(); ++i) {
    auto& layers = decoder_->at<nn::ModuleListImpl>(i);
    auto& up = layers.at<nn::ConvTranspose2dImpl>(0);
    feature = fast ? fast_upsampling(feature, up) : up.forward(feature);
    feature = expansion(layers, 1, feature, fast) + skips[skips.size() - 1 - i];
  }
  return run(*out_conv_, feature, fast);
}

}  // namespace snapcube::nets
