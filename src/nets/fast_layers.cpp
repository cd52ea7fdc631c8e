#include "nets/fast_layers.h"

#include "gradients/convolution.h"
#include "gradients/expansion.h"
#include "gradients/gelu.h"
#include "nets/planes.h"

namespace snapcube::nets {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

torch::Tensor like(const torch::Tensor& x, std::int64_t height, std::int64_t channels, std::int64_t width) {
  return torch::empty({x.size(0), height, channels, width}, x.options());
}

class ConvolutionFunction : public torch::autograd::Function<ConvolutionFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               std::int64_t dilation) {
    const tensor_list saved = {x, weight.contiguous()};
    auto y = like(x, x.size(1), weight.size(0), x.size(3));
    gradients::convolve(view(x), layer(saved, dilation), writable(y));
    context->save_for_backward(saved);
    context->saved_data["dilation"] = dilation;
    context->saved_data["wants input"] = x.requires_grad();
    return y;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    const auto dy = gradient[0].contiguous();
    auto dw = torch::zeros_like(saved[1]);
    torch::Tensor dx;
    gradients::Planes to;
    const bool wanted = context->saved_data["wants input"].toBool();
    if (wanted) {
      dx = torch::empty_like(saved[0]);
      to = writable(dx);
    }
    gradients::convolve_backward(view(saved[0]), layer(saved, context->saved_data["dilation"].toInt()), view(dy),
                                 wanted ? &to : nullptr, dw.data_ptr<float>());
    return {dx, dw, torch::Tensor()};
  }

 private:
  static gradients::Convolution layer(const tensor_list& saved, std::int64_t dilation) {
    const auto& w = saved[1];
    return {static_cast<int>(w.size(1)), static_cast<int>(w.size(0)), static_cast<int>(w.size(2)),
            static_cast<int>(dilation), w.data_ptr<float>()};
  }
};

class DownsamplingFunction : public torch::autograd::Function<DownsamplingFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight) {
    const tensor_list saved = {x, weight.contiguous()};
    auto y = like(x, x.size(1) / 2, weight.size(0), x.size(3) / 2);
    gradients::downsample(view(x), saved[1].data_ptr<float>(), writable(y));
    context->save_for_backward(saved);
    return y;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    auto dx = torch::empty_like(saved[0]);
    auto dw = torch::zeros_like(saved[1]);
    const auto dy = gradient[0].contiguous();
    gradients::downsample_backward(view(saved[0]), saved[1].data_ptr<float>(), view(dy), writable(dx),
                                   dw.data_ptr<float>());
    return {dx, dw};
  }
};

class UpsamplingFunction : public torch::autograd::Function<UpsamplingFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias) {
    const tensor_list saved = {x, weight.contiguous()};
    auto y = like(x, 2 * x.size(1), weight.size(1), 2 * x.size(3));
    gradients::upsample(view(x), saved[1].data_ptr<float>(), bias.contiguous().data_ptr<float>(), writable(y));
    context->save_for_backward(saved);
    return y;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    auto dx = torch::empty_like(saved[0]);
    auto dw = torch::zeros_like(saved[1]);
    const auto dy = gradient[0].contiguous();
    gradients::upsample_backward(view(saved[0]), saved[1].data_ptr<float>(), view(dy), writable(dx),
                                 dw.data_ptr<float>());
    return {dx, dw, dy.sum({0, 1, 3})};
  }
};

class GeluFunction : public torch::autograd::Function<GeluFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x) {
    auto y = torch::empty_like(x);
    gradients::gelu(x.data_ptr<float>(), x.numel(), y.data_ptr<float>());
    context->save_for_backward({x});
    return y;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const auto x = context->get_saved_variables()[0];
    const auto dy = gradient[0].contiguous();
    auto dx = torch::empty_like(x);
    gradients::gelu_backward(x.data_ptr<float>(), dy.data_ptr<float>(), x.numel(), dx.data_ptr<float>());
    return {dx};
  }
};

/// gamma and beta empty: no LayerNorm, the leaky ReLU.
class ExpansionFunction : public torch::autograd::Function<ExpansionFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& gamma,
                               const torch::Tensor& beta, const torch::Tensor& expand, const torch::Tensor& depthwise,
                               const torch::Tensor& reduce, std::int64_t stride) {
    const tensor_list saved = {
        x, gamma.contiguous(), beta.contiguous(), expand.contiguous(), depthwise.contiguous(), reduce.contiguous()};
    auto y = like(x, x.size(1) / stride, reduce.size(0), x.size(3) / stride);
    gradients::expansion(view(x), layer(saved, stride), writable(y));
    context->save_for_backward(saved);
    context->saved_data["stride"] = stride;
    return y;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    const auto dy = gradient[0].contiguous();
    tensor_list result;
    result.push_back(torch::empty_like(saved[0]));
    for (std::size_t i = 1; i < saved.size(); ++i) result.push_back(torch::zeros_like(saved[i]));
    const auto at = [&](std::size_t i) { return result[i].data_ptr<float>(); };
    gradients::expansion_backward(view(saved[0]), layer(saved, context->saved_data["stride"].toInt()), view(dy),
                                  writable(result[0]), {at(1), at(2), at(3), at(4), at(5)});
    result.emplace_back();  // none for the stride
    return result;
  }

 private:
  static gradients::Expansion layer(const tensor_list& saved, std::int64_t stride) {
    const bool norm = saved[1].numel() > 0;
    gradients::Expansion e;
    e.inputs = static_cast<int>(saved[3].size(1));
    e.wide = static_cast<int>(saved[3].size(0));
    e.outputs = static_cast<int>(saved[5].size(0));
    e.stride = static_cast<int>(stride);
    e.activation = norm ? kernels::Activation::gelu : kernels::Activation::leaky_relu;
    e.gamma = norm ? saved[1].data_ptr<float>() : nullptr;
    e.beta = norm ? saved[2].data_ptr<float>() : nullptr;
    e.expand = saved[3].data_ptr<float>();
    e.depthwise = saved[4].data_ptr<float>();
    e.reduce = saved[5].data_ptr<float>();
    return e;
  }
};

}  // namespace

torch::Tensor fast_convolution(const torch::Tensor& x, const torch::nn::Conv2dImpl& layer) {
  const auto rows = rows_of(x);
  if (layer.weight.size(2) == 4) return map_of(DownsamplingFunction::apply(rows, layer.weight));
  return map_of(ConvolutionFunction::apply(rows, layer.weight, (*layer.options.dilation())[0]));
}

torch::Tensor fast_gelu(const torch::Tensor& x) { return map_of(GeluFunction::apply(rows_of(x))); }

torch::Tensor fast_upsampling(const torch::Tensor& x, const torch::nn::ConvTranspose2dImpl& layer) {
  return map_of(UpsamplingFunction::apply(rows_of(x), layer.weight, layer.bias));
}

torch::Tensor fast_expansion(const torch::Tensor& x, const torch::nn::Conv2dImpl& expand,
                             const torch::nn::Conv2dImpl& depthwise, const torch::nn::Conv2dImpl& reduce) {
  const auto none = torch::empty({0}, x.options());
  return map_of(ExpansionFunction::apply(rows_of(x), none, none, expand.weight, depthwise.weight, reduce.weight,
                                         (*depthwise.options.stride())[0]));
}

torch::Tensor fast_feed_forward_rows(const torch::Tensor& x, const torch::Tensor& gamma, const torch::Tensor& beta,
                                     const torch::Tensor& expand, const torch::Tensor& depthwise,
                                     const torch::Tensor& reduce) {
  return ExpansionFunction::apply(x.contiguous(), gamma, beta, expand, depthwise, reduce, 1);
}

}  // namespace snapcube::nets
