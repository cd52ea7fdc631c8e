#include "nets/estimator.h"

#include <vector>

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

nn::Conv2d pointwise(int inputs, int outputs) { return nn::Conv2d(nn::Conv2dOptions(inputs, outputs, 1).bias(false)); }

nn::Conv2d depthwise(int channels, int stride) {
  return nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).stride(stride).padding(1).groups(channels).bias(false));
}

torch::Tensor leaky(const torch::Tensor& x) { return torch::leaky_relu(x, 0.1); }

torch::Tensor conv(nn::ModuleList& layers, std::size_t i, const torch::Tensor& x) {
  return layers->at<nn::Conv2dImpl>(i).forward(x);
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
      register_module("project", nn::Sequential(pointwise(3 * channels, channels), nn::ReLU(), nn::Dropout(0.5)));
}

torch::Tensor AsppImpl::forward(const torch::Tensor& x) {
  std::vector<torch::Tensor> views;
  for (const auto& view : *convs_) {
    const auto y = view->as<nn::Sequential>()->forward(x);
    views.push_back(y.expand_as(x));  // the pooled view is one pixel, broadcast
  }
  return project_->forward(torch::cat(views, 1));
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
  auto feature = leaky(in_proj_(x));
  std::vector<torch::Tensor> skips;
  for (std::size_t i = 0; i < encoder_->size(); ++i) {
    nn::ModuleList layers(encoder_->ptr<nn::ModuleListImpl>(i));
    skips.push_back(feature);
    feature = conv(layers, 2, leaky(conv(layers, 1, leaky(conv(layers, 0, feature)))));
  }
  feature = bottleneck_(feature) + feature;
  for (std::size_t i = 0; i < decoder_->size(); ++i) {
    nn::ModuleList layers(decoder_->ptr<nn::ModuleListImpl>(i));
    feature = layers->at<nn::ConvTranspose2dImpl>(0).forward(feature);
    feature = conv(layers, 3, leaky(conv(layers, 2, leaky(conv(layers, 1, feature)))));
    feature = feature + skips[skips.size() - 1 - i];
  }
  return out_conv_(feature);
}

}  // namespace snapcube::nets
