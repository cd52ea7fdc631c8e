#include "nets/sahab.h"

#include "nets/fast_blocks.h"
#include "nets/planes.h"
#include "nets/windows.h"

namespace snapcube::nets {

SahabImpl::SahabImpl(const ModelConfig& config, int stage, bool shifted)
    : config_(config), heads_(config.heads(stage)), shifted_(shifted) {
  const int channels = config.channels(stage);
  if (config.attention == Attention::sah) {
    attention_ = register_module("attn", std::make_shared<PreNormImpl<SahMsa>>(channels, SahMsa(config, stage)));
  } else if (config.attention != Attention::none) {
    other_attention_ = register_module(
        "attn", std::make_shared<PreNormImpl<MapAttention>>(channels, make_map_attention(config, stage, shifted)));
  }
  feed_forward_ = register_module("ffn", std::make_shared<PreNormImpl<FeedForward>>(channels, FeedForward(channels)));
}

torch::Tensor SahabImpl::forward(torch::Tensor x, const torch::Tensor& mask) {
  if (attention_) {
    const int half = config_.window / 2;
    if (shifted_) {
      const auto rolled_mask = mask.defined() ? mask.roll({-half, -half}, {1, 2}) : mask;
      x = attend(x.roll({-half, -half}, {1, 2}), rolled_mask).roll({half, half}, {1, 2});
    } else {
      x = attend(x, mask);
    }
  }
  if (other_attention_) x = x + other_attention_->forward(x);
  return x + feed_forward_->forward(x);
}

torch::Tensor SahabImpl::forward_rows(torch::Tensor x, const torch::Tensor& mask) {
  if (attention_) {
    const int shift = shifted_ ? config_.window / 2 : 0;
    const auto rows = x.size(1) / config_.window;
    const auto columns = x.size(3) / config_.window;
    torch::Tensor windows;
    if (config_.screening == Screening::none) {
      windows = torch::arange(rows * columns, torch::kLong).expand({x.size(0), rows * columns});
    } else {
      const auto moved = mask.defined() && shift > 0 ? mask.roll({-shift, -shift}, {1, 2}) : mask;
      windows = kept_windows(moved, x.size(0), rows, columns);
    }
    x = fast_attention(x, *attention_, config_, heads_, windows, shift);
  }
  if (other_attention_) {
    // libtorch's own; the other half of the block still runs on the kernels.
    x = x + other_attention_->forward(x.transpose(2, 3).contiguous()).transpose(2, 3);
  }
  return fast_feed_forward(x, *feed_forward_);
}

/// Indices of the windows that attention works on, ascending: [batch, k].
torch::Tensor SahabImpl::kept_windows(const torch::Tensor& mask, std::int64_t batch, std::int64_t rows,
                                      std::int64_t columns) {
  const torch::NoGradGuard no_gradient;
  const auto windows = rows * columns;
  const auto k = config_.kept_windows(static_cast<int>(windows));
  TORCH_CHECK(k > 0, "sparsity ", config_.sparsity, " leaves no window of ", windows);
  torch::Tensor order;
  switch (config_.screening) {
    case Screening::random:
      order = is_training() ? torch::rand({batch, windows}).argsort(-1, false)
                            : torch::rand({windows}, at::detail::createCPUGenerator(20221))
                                  .argsort(-1, false)
                                  .expand({batch, windows});
      break;
    case Screening::uniform: {
      const auto at = torch::arange(windows);
      const auto odd = (at.div(columns, "floor") + at.remainder(columns)).remainder(2);
      order = std::get<1>(at::sort(odd, /*stable=*/true, -1, false)).expand({batch, windows});
      break;
    }
    default: {
      const auto score = mask.detach()
                             .view({batch, rows, config_.window, columns, config_.window})
                             .mean({2, 4})
                             .reshape({batch, windows});
      order = std::get<1>(at::sort(score, /*stable=*/true, -1, /*descending=*/true));
    }
  }
  return std::get<0>(order.slice(1, 0, k).sort(-1)).to(torch::kLong);
}

torch::Tensor SahabImpl::attend(const torch::Tensor& x, const torch::Tensor& mask) {
  const auto batch = x.size(0);
  const auto height = x.size(1);
  const auto width = x.size(2);
  const auto channels = x.size(3);
  const int m = config_.window;
  const std::int64_t tokens = static_cast<std::int64_t>(m) * m;
  const auto windows = to_windows(x, m);
  const bool all = config_.screening == Screening::none;
  torch::Tensor index;
  torch::Tensor kept = windows;
  if (!all) {
    const auto chosen = kept_windows(mask, batch, height / m, width / m).to(x.device());
    index = chosen.view({batch, -1, 1, 1}).expand({batch, chosen.size(1), tokens, channels});
    kept = windows.gather(1, index);
  }
  const auto groups =
      config_.scope == Scope::local ? kept.reshape({-1, tokens, channels}) : kept.reshape({batch, -1, channels});
  const auto updated = kept + attention_->forward(groups).view(kept.sizes());
  return from_windows(all ? updated : windows.scatter(1, index, updated), m, height, width);
}

SahabGroupImpl::SahabGroupImpl(const ModelConfig& config, int stage) : is_local_(config.scope == Scope::local) {
  blocks_ = register_module("blocks", torch::nn::ModuleList());
  for (int j = 0; j < config.blocks[static_cast<std::size_t>(stage)]; ++j) {
    blocks_->push_back(Sahab(config, stage, j % 2 == 1));
  }
}

torch::Tensor SahabGroupImpl::forward(const torch::Tensor& x, const torch::Tensor& mask) {
  if (use_kernels && is_local_ && is_for_kernels(x)) {
    auto rows = rows_of(x);
    for (const auto& block : *blocks_) rows = block->as<Sahab>()->forward_rows(rows, mask);
    return map_of(rows);
  }
  auto tokens = x.permute({0, 2, 3, 1}).contiguous();
  for (const auto& block : *blocks_) tokens = block->as<Sahab>()->forward(tokens, mask);
  return tokens.permute({0, 3, 1, 2});
}

}  // namespace snapcube::nets
