#include "nets/layers.h"

#include "nets/network.h"

namespace snapcube::nets {

namespace nn = torch::nn;

void start_small(nn::LinearImpl& layer) {
  nn::init::normal_(layer.weight, 0.0, 0.02);
  if (layer.bias.defined()) nn::init::zeros_(layer.bias);
}

nn::Linear small_linear(int inputs, int outputs) {
  nn::Linear layer(nn::LinearOptions(inputs, outputs).bias(false));
  start_small(*layer);
  return layer;
}

nn::Sequential convolution_chain(int inputs, int outputs, int count, bool last_relu) {
  nn::Sequential chain;
  for (int i = 0; i < count; ++i) {
    chain->push_back(same_convolution(i == 0 ? inputs : outputs, outputs, 3));
    if (i + 1 < count || last_relu) chain->push_back(nn::ReLU());
  }
  return chain;
}

torch::Tensor pad_to_multiple(const torch::Tensor& x, int unit) {
  const auto up = [unit](std::int64_t n) { return (n + unit - 1) / unit * unit; };
  return reflect_to(reflect_to(x, 2, up(x.size(2))), 3, up(x.size(3)));
}

}  // namespace snapcube::nets
