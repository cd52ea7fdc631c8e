#include "engine/estimator.h"

namespace snapcube::engine {

using kernels::Activation;

namespace {

constexpr int kDilations[2] = {3, 6};

Expansion encoder_layer(const TensorsOf& t, const std::string& name) {
  return {t(name + "0.weight"), t(name + "1.weight"), t(name + "2.weight"), Activation::leaky_relu, 2};
}
Expansion decoder_layer(const TensorsOf& t, const std::string& name) {
  return {t(name + "1.weight"), t(name + "2.weight"), t(name + "3.weight"), Activation::leaky_relu, 1};
}
Upsampling up_layer(const TensorsOf& t, const std::string& name) { return {t(name + "0.weight"), t(name + "0.bias")}; }

/// to[o] = Σ_i matrix[o][i] · from[i], in double.
void multiply(const FloatBuffer& matrix, const std::vector<float>& from, std::vector<float>& to) {
  for (std::size_t o = 0; o < to.size(); ++o) {
    double sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i) sum += static_cast<double>(matrix[o * from.size() + i]) * from[i];
    to[o] = static_cast<float>(sum);
  }
}

}  // namespace

Estimator::Estimator(int channels, const TensorsOf& t)
    : in_proj_(pack(t("in_proj.weight"))),
      encoder_{encoder_layer(t, "encoder_layers.0."), encoder_layer(t, "encoder_layers.1.")},
      dilated_{pack(t("bottleneck.convs.0.0.weight")), pack(t("bottleneck.convs.1.0.weight"))},
      pooled_(t("bottleneck.convs.2.1.weight").values),
      up_{up_layer(t, "decoder_layers.0."), up_layer(t, "decoder_layers.1.")},
      decoder_{decoder_layer(t, "decoder_layers.0."), decoder_layer(t, "decoder_layers.1.")},
      out_conv_(pack(t("out_conv2.weight"))) {
  const auto c = static_cast<std::size_t>(4 * channels);
  const FloatBuffer& all = t("bottleneck.project.0.weight").values;  // [4B][12B]: two dilated views and the pooled one
  FloatBuffer views;
  for (std::size_t o = 0; o < c; ++o) {
    const float* row = all.data() + o * 3 * c;
    views.insert(views.end(), row, row + 2 * c);
    pooled_share_.insert(pooled_share_.end(), row + 2 * c, row + 3 * c);
  }
  project_ = pack(views.data(), 4 * channels, 8 * channels);
}

std::size_t Estimator::scratch(int width) const {
  return std::max({2 * static_cast<std::size_t>(dilated_[0].outputs) * pitch_of(width / 4), encoder_[0].scratch(width),
                   encoder_[1].scratch(width / 2), up_[0].scratch(width / 4), up_[1].scratch(width / 2),
                   decoder_[0].scratch(width / 2), decoder_[1].scratch(width)});
}

void Estimator::encode(const Map& in, const EstimatorMaps& maps, Team& team) const {
  team.rows(in.height, [&](int y, Workspace& own) {
    kernels::RowProduct p = in_proj_.product();
    const float* tap = in.row(y);
    p.taps = &tap;
    p.pitch = in.pitch;
    p.pixels = in.pixels();
    p.activation = Activation::leaky_relu;
    if (y + 1 < in.height) {
      p.next = in.row(y + 1);
      p.next_pitch = in.pitch;
    }
    p.out = maps.full.row(y);
    p.out_pitch = maps.full.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
  });
  encoder_[0].run(maps.full, nullptr, maps.half[0], team);
  encoder_[1].run(maps.half[0], nullptr, maps.quarter[0], team);
}

void Estimator::run_to_means(const Map& in, const EstimatorMaps& maps, PooledView& pooled, Team& team) const {
  encode(in, maps, team);
  average(maps.quarter[0], pooled, team);
}

void Estimator::run(const Map& in, const EstimatorMaps& maps, const Map& out, PooledView& pooled, Team& team) const {
  encode(in, maps, team);
  if (!pooled.given) average(maps.quarter[0], pooled, team);
  pyramid(maps.quarter[0], maps.quarter[1], pooled, team);
  // Up again; each stage adds the map it came down with, which is `full` and `half[0]`, in place.
  up_[0].run(maps.quarter[1], nullptr, maps.half[1], team);
  decoder_[0].run(maps.half[1], &maps.half[0], maps.half[0], team);
  const Map wide = out.first_channels(maps.full.channels);
  up_[1].run(maps.half[0], nullptr, wide, team);
  decoder_[1].run(wide, &maps.full, maps.full, team);
  team.rows(out.height, [&](int y, Workspace& own) {
    kernels::RowProduct p;
    p.out = out.row(y);
    p.out_pitch = out.pitch;
    convolve_3x3_row(out_conv_, maps.full, y, 1, p, own, out.width);
  });
}

// Sums of rows first, then over rows in their order: the same for any number of threads.
void Estimator::average(const Map& in, PooledView& pooled, Team& team) const {
  const auto c = static_cast<std::size_t>(in.channels);
  const Region part = pooled.part.height > 0 ? pooled.part : Region{0, 0, in.height, in.width};
  pooled.row_sums.resize(c * static_cast<std::size_t>(part.height));
  pooled.sums.resize(c);
  pooled.means.resize(c);
  team.rows(part.height, [&](int y, Workspace&) {
    for (std::size_t i = 0; i < c; ++i) {
      const float* x = in.row(part.top + y) + i * in.pitch + part.left;
      double sum = 0;
      for (int p = 0; p < part.width; ++p) sum += x[p];
      pooled.row_sums[static_cast<std::size_t>(y) * c + i] = sum;
    }
  });
  for (std::size_t i = 0; i < c; ++i) {
    pooled.sums[i] = 0;
    for (int y = 0; y < part.height; ++y) pooled.sums[i] += pooled.row_sums[static_cast<std::size_t>(y) * c + i];
    pooled.means[i] = static_cast<float>(pooled.sums[i] / (static_cast<double>(part.height) * part.width));
  }
}

// y = x + ReLU(W [views, pooled]); the pooled view's share of the product is a bias.
void Estimator::pyramid(const Map& in, const Map& out, PooledView& pooled, Team& team) const {
  const auto c = static_cast<std::size_t>(in.channels);
  pooled.values.resize(c);
  pooled.bias.resize(c);
  multiply(pooled_, pooled.means, pooled.values);
  for (float& v : pooled.values) v = std::max(v, 0.0f);
  multiply(pooled_share_, pooled.values, pooled.bias);

  team.rows(in.height, [&](int y, Workspace& own) {
    const Workspace::Scope scope(own);
    float* views = own.take(2 * c * in.pitch);
    for (std::size_t view = 0; view < 2; ++view) {
      kernels::RowProduct p;
      p.activation = Activation::relu;
      p.out = views + view * c * in.pitch;
      p.out_pitch = in.pitch;
      convolve_3x3_row(dilated_[view], in, y, kDilations[view], p, own, in.width);
    }
    kernels::RowProduct p = project_.product();
    const float* tap = views;
    p.taps = &tap;
    p.pitch = in.pitch;
    p.pixels = in.pixels();
    p.bias = pooled.bias.data();
    p.activation = Activation::relu;
    p.residual = in.row(y);
    p.residual_pitch = in.pitch;
    p.out = out.row(y);
    p.out_pitch = out.pitch;
    own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
  });
}

}  // namespace snapcube::engine
