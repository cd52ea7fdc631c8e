#include "nets/cst.h"

#include <utility>

#include "nets/fast_layers.h"
#include "nets/planes.h"

namespace snapcube::nets {

namespace nn = torch::nn;

CstImpl::CstImpl(ModelConfig model) : Network(std::move(model)) {
  const ModelConfig& shape = config();
  const int c = shape.bands;
  fution_ = register_module("fution", nn::Conv2d(nn::Conv2dOptions(shape.mask_input ? 2 * c : c, c, 1).bias(false)));
  if (shape.estimators == 1) {
    estimators_.push_back(register_module("fe", Estimator(c, shape.has_error_map())));
  } else if (shape.estimators == 2) {
    auto list = register_module("fe", nn::ModuleList());
    for (const bool error_map : {false, shape.has_error_map()}) {
      estimators_.emplace_back(c, error_map);
      list->push_back(estimators_.back());
    }
  }
  encoder_ = register_module("encoder_layers", nn::ModuleList());
  bottleneck_ = register_module("bottleneck", SahabGroup(shape, 2));
  decoder_ = register_module("decoder_layers", nn::ModuleList());
  for (int i = 0; i < 2; ++i) {
    const int wide = shape.channels(i);
    encoder_->push_back(nn::ModuleList(
        SahabGroup(shape, i), nn::Conv2d(nn::Conv2dOptions(wide, 2 * wide, 4).stride(2).padding(1).bias(false))));
    const int deep = shape.channels(2 - i);
    decoder_->push_back(nn::ModuleList(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(deep, deep / 2, 2).stride(2)),
                                       SahabGroup(shape, 1 - i)));
  }
  out_proj_ = register_module("out_proj", nn::Conv2d(nn::Conv2dOptions(c, c, 3).padding(1).bias(false)));
}

void CstImpl::use_kernels(bool on) {
  for (const auto& module : modules()) {
    if (auto* group = module->as<SahabGroupImpl>()) group->use_kernels = on;
    if (auto* estimator = module->as<EstimatorImpl>()) estimator->use_kernels = on;
  }
  use_kernels_ = on;
}

CstImpl::Output CstImpl::forward(const torch::Tensor& measurement, const torch::Tensor& mask) {
  const bool fast = use_kernels_ && is_for_kernels(measurement);
  const auto convolve = [fast](nn::Conv2dImpl& layer, const torch::Tensor& map) {
    return fast ? fast_convolution(map, layer) : layer.forward(map);
  };
  auto input = measurement;
  if (config().mask_input) {
    input = torch::cat({measurement, mask.unsqueeze(1).expand_as(measurement)}, 1);  // M: M* copied to every band
  }
  if (!fast) input = input.contiguous(at::MemoryFormat::ChannelsLast);
  const auto x = convolve(*fution_, input);  // X, the initialised feature

  auto feature = x;
  for (auto& estimator : estimators_) feature = estimator(feature);
  Output output;
  torch::Tensor sparsity;
  if (config().has_error_map()) {
    output.error_map = feature.select(1, config().bands);
    sparsity = output.error_map.detach();
    feature = feature.slice(1, 0, config().bands);  // X₀, the shallow feature
  }

  std::vector<torch::Tensor> skips;
  std::vector<torch::Tensor> masks;
  for (std::size_t i = 0; i < encoder_->size(); ++i) {
    nn::ModuleList stage(encoder_->ptr<nn::ModuleListImpl>(i));
    feature = stage->at<SahabGroupImpl>(0).forward(feature, sparsity);
    skips.push_back(feature);
    masks.push_back(sparsity);
    feature = convolve(stage->at<nn::Conv2dImpl>(1), feature);
    if (sparsity.defined()) sparsity = torch::avg_pool2d(sparsity.unsqueeze(1), 2).squeeze(1);
  }
  feature = bottleneck_->forward(feature, sparsity);
  for (std::size_t i = 0; i < decoder_->size(); ++i) {
    nn::ModuleList stage(decoder_->ptr<nn::ModuleListImpl>(i));
    auto& up = stage->at<nn::ConvTranspose2dImpl>(0);
    feature = (fast ? fast_upsampling(feature, up) : up.forward(feature)) + skips[1 - i];
    feature = stage->at<SahabGroupImpl>(1).forward(feature, masks[1 - i]);
  }
  output.cube = convolve(*out_proj_, feature) + x;  // X' = R + X
  return output;
}

torch::Tensor CstImpl::loss(const Output& output, const torch::Tensor& truth, bool l1) const {
  auto loss = Network::loss(output, truth, l1);
  if (output.error_map.defined()) {
    const auto error = (output.cube.detach() - truth).abs().mean(1);  // M_s*, eq. (3)
    loss = loss + config().loss_weight * torch::mse_loss(output.error_map, error);
  }
  return loss;
}

}  // namespace snapcube::nets
