#include "nets/fast_blocks.h"

#include <cmath>

#include "gradients/window_attention.h"
#include "nets/fast_layers.h"
#include "nets/planes.h"

namespace snapcube::nets {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// What of an attention is no tensor.
struct Settings {
  std::int64_t heads, window, bucket, rounds, shift, hash_floor;
};

class AttentionFunction : public torch::autograd::Function<AttentionFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& gamma,
                               const torch::Tensor& beta, const torch::Tensor& logits, const torch::Tensor& values,
                               const torch::Tensor& hash_alpha, const torch::Tensor& hash_beta,
                               const torch::Tensor& windows, const Settings& s) {
    const auto count = windows.size(0) * windows.size(1);
    const auto tokens = s.window * s.window;
    const tensor_list saved = {x.contiguous(),
                               gamma.contiguous(),
                               beta.contiguous(),
                               logits.contiguous(),
                               values.contiguous(),
                               hash_alpha.contiguous(),
                               hash_beta.contiguous(),
                               windows.contiguous(),
                               torch::empty({count, s.heads, x.size(2), tokens}),
                               torch::empty({count, s.heads, tokens}),
                               torch::empty({count, s.heads, s.rounds, tokens}, torch::kShort)};
    auto y = torch::empty(x.sizes(), x.options());
    gradients::attend(attention(saved, s), view(saved[0]), saved[7].data_ptr<std::int64_t>(),
                      static_cast<int>(windows.size(1)), writable(y), memory(saved));
    context->save_for_backward(saved);
    context->saved_data["settings"] =
        std::vector<std::int64_t>{s.heads, s.window, s.bucket, s.rounds, s.shift, s.hash_floor};
    return y;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    const auto numbers = context->saved_data["settings"].toIntVector();
    const Settings s{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    const auto dy = gradient[0].contiguous();
    tensor_list result;
    result.push_back(torch::empty_like(saved[0]));
    for (std::size_t i = 1; i < 5; ++i) result.push_back(torch::zeros_like(saved[i]));
    gradients::attend_backward(attention(saved, s), view(saved[0]), saved[7].data_ptr<std::int64_t>(),
                               static_cast<int>(saved[7].size(1)), memory(saved), view(dy), writable(result[0]),
                               {result[1].data_ptr<float>(), result[2].data_ptr<float>(), result[3].data_ptr<float>(),
                                result[4].data_ptr<float>()});
    result.resize(9);  // none for hash vectors, windows and settings
    return result;
  }

 private:
  static gradients::WindowAttention attention(const tensor_list& saved, const Settings& s) {
    gradients::WindowAttention a;
    a.heads = static_cast<int>(s.heads);
    a.window = static_cast<int>(s.window);
    a.bucket = static_cast<int>(s.bucket);
    a.rounds = static_cast<int>(s.rounds);
    a.shift = static_cast<int>(s.shift);
    a.hash_floor = s.hash_floor != 0;
    a.gamma = saved[1].data_ptr<float>();
    a.beta = saved[2].data_ptr<float>();
    a.logits = saved[3].data_ptr<float>();
    a.values = saved[4].data_ptr<float>();
    a.hash_alpha = saved[5].data_ptr<float>();
    a.hash_beta = saved[6].data_ptr<float>();
    return a;
  }
  static gradients::WindowMemory memory(const tensor_list& saved) {
    return {saved[8].data_ptr<float>(), saved[9].data_ptr<float>(),
            reinterpret_cast<std::uint16_t*>(saved[10].data_ptr<std::int16_t>())};
  }
};

}  // namespace

torch::Tensor fast_feed_forward(const torch::Tensor& x, const PreNormImpl<FeedForward>& layer) {
  const auto weights = layer.fn->weights();
  return fast_feed_forward_rows(x, layer.norm->weight, layer.norm->bias, weights[0], weights[1], weights[2]);
}

torch::Tensor fast_attention(const torch::Tensor& x, const PreNormImpl<SahMsa>& layer, const ModelConfig& config,
                             int heads, const torch::Tensor& windows, int shift) {
  const SahMsa& msa = layer.fn;
  const auto channels = x.size(2);
  const auto split = [&](const torch::nn::Linear& projection) {
    return projection->weight.view({heads, -1, channels});  // [heads, d, C]
  };
  const auto q = split(msa->to_q);
  const auto k = split(msa->to_k);
  const auto v = split(msa->to_v);
  const auto o = msa->to_out->weight.view({channels, heads, -1}).transpose(0, 1);  // [heads, C, d]
  auto logits = k.transpose(1, 2).matmul(q);
  if (config.scale_logits) logits = logits / std::sqrt(static_cast<double>(q.size(1)));
  const Settings settings{heads, config.window, config.bucket, config.rounds, shift, config.hash_floor ? 1 : 0};
  return AttentionFunction::apply(x, layer.norm->weight, layer.norm->bias, logits, o.matmul(v), msa->hash_alpha,
                                  msa->hash_beta, windows, settings);
}

}  // namespace snapcube::nets
