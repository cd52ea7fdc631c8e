#pragma once
// MST once more, as its description reads: in double, one layer after the other, nothing folded.

#include <cmath>
#include <functional>
#include <vector>

#include <snapcube/camera.h>

#include "models/mst_form.h"
#include "models/weights.h"

namespace snapcube::testing {

/// [channel][row][column]; zero outside.
struct Volume {
  int channels, height, width;
  std::vector<double> values;
  Volume(int c, int h, int w)
      : channels(c), height(h), width(w), values(static_cast<std::size_t>(c) * static_cast<std::size_t>(h * w)) {}
  double& at(int c, int y, int x) { return values[static_cast<std::size_t>((c * height + y) * width + x)]; }
  double operator()(int c, int y, int x) const {
    if (y < 0 || x < 0 || y >= height || x >= width) return 0;
    return values[static_cast<std::size_t>((c * height + y) * width + x)];
  }
  void each(const std::function<double(int, int, int)>& f) {
    for (int c = 0; c < channels; ++c) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) at(c, y, x) = f(c, y, x);
      }
    }
  }
};

class MstReference {
 public:
  explicit MstReference(const Weights& weights) : weights_(weights) {}

  /// Bands × height × width, cropped from a frame reflected to multiples of 4.
  Volume run(const Image& measurement, const Camera& camera) const {
    const int bands = camera.bands();
    const int height = (camera.height() + 3) / 4 * 4;
    const int width = (camera.width() + 3) / 4 * 4;
    const auto mirrored = [](int i, int n) {
      if (n == 1) return 0;
      i %= 2 * (n - 1);
      return i < n ? i : 2 * (n - 1) - i;
    };
    const Cube back = camera.shift_back(measurement);
    Volume h(bands, height, width);
    h.each([&](int b, int y, int x) {
      return 2.0 / bands * back(b, mirrored(y, camera.height()), mirrored(x, camera.width()));
    });
    const std::vector<double> offsets = camera.offsets();
    Volume phi(bands, height, width + camera.detector_width() - camera.width());
    phi.each([&](int b, int y, int x) {
      const int from = x - static_cast<int>(offsets[static_cast<std::size_t>(b)]);
      return from < 0 || from >= width ? 0.0
                                       : camera.mask()(mirrored(y, camera.height()), mirrored(from, camera.width()));
    });
    step_ = bands > 1 ? offsets[1] - offsets[0] : 0;

    Volume x = convolve(h, "embedding", 3, 1, 1);
    for (double& v : x.values) v = v > 0 ? v : 0.1 * v;
    std::vector<Volume> skips, masks;
    for (int i = 0; i < 2; ++i) {
      const std::string name = "encoder_layers." + std::to_string(i);
      x = blocks(x, phi, name + ".0", i);
      skips.push_back(x);
      masks.push_back(phi);
      x = convolve(x, name + ".1", 4, 2, 1);
      phi = convolve(phi, name + ".2", 4, 2, 1);
    }
    x = blocks(x, phi, "bottleneck", 2);
    for (int i = 0; i < 2; ++i) {
      const std::string name = "decoder_layers." + std::to_string(i);
      x = deconvolve(x, name + ".0");
      const Volume& skip = skips[static_cast<std::size_t>(1 - i)];
      Volume both(2 * x.channels, x.height, x.width);
      both.each([&](int c, int r, int p) { return c < x.channels ? x(c, r, p) : skip(c - x.channels, r, p); });
      x = blocks(convolve(both, name + ".1", 1, 1, 0), masks[static_cast<std::size_t>(1 - i)], name + ".2", 1 - i);
    }
    x = convolve(x, "mapping", 3, 1, 1);
    Volume out(bands, camera.height(), camera.width());
    out.each([&](int b, int y, int p) { return x(b, y, p) + h(b, y, p); });
    return out;
  }

 private:
  const FloatBuffer& tensor(const std::string& name) const { return weights_.tensors.at(name).values; }
  double bias(const std::string& name, int c) const {
    const auto found = weights_.tensors.find(name + ".bias");
    return found == weights_.tensors.end() ? 0.0 : found->second.values[static_cast<std::size_t>(c)];
  }

  Volume convolve(const Volume& in, const std::string& name, int kernel, int stride, int padding) const {
    const auto& shape = weights_.tensors.at(name + ".weight").shape;
    const FloatBuffer& w = tensor(name + ".weight");
    const bool depthwise = shape[1] == 1 && in.channels > 1;
    Volume out(static_cast<int>(shape[0]), (in.height + 2 * padding - kernel) / stride + 1,
               (in.width + 2 * padding - kernel) / stride + 1);
    out.each([&](int o, int y, int x) {
      double sum = bias(name, o);
      std::size_t at =
          static_cast<std::size_t>(o) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(kernel * kernel);
      for (int k = 0; k < static_cast<int>(shape[1]); ++k) {
        for (int dy = 0; dy < kernel; ++dy) {
          for (int dx = 0; dx < kernel; ++dx) {
            sum += w[at++] * in(depthwise ? o : k, stride * y + dy - padding, stride * x + dx - padding);
          }
        }
      }
      return sum;
    });
    return out;
  }

  Volume deconvolve(const Volume& in, const std::string& name) const {
    const auto outputs = static_cast<int>(weights_.tensors.at(name + ".weight").shape[1]);
    const FloatBuffer& w = tensor(name + ".weight");
    Volume out(outputs, 2 * in.height, 2 * in.width);
    out.each([&](int o, int y, int x) {
      double sum = bias(name, o);
      for (int k = 0; k < in.channels; ++k) {
        sum += w[static_cast<std::size_t>(((k * outputs + o) * 2 + y % 2) * 2 + x % 2)] * in(k, y / 2, x / 2);
      }
      return sum;
    });
    return out;
  }

  /// A linear layer of the channels, which is a 1×1 convolution.
  Volume linear(const Volume& in, const std::string& name) const { return convolve(in, name, 1, 1, 0); }

  static double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

  Volume blocks(Volume x, const Volume& mask, const std::string& name, int stage) const {
    const MstForm* form = find_mst_form(weights_.config.variant);
    for (int j = 0; j < form->blocks[static_cast<std::size_t>(stage)]; ++j) {
      const std::string block = name + ".blocks." + std::to_string(j);
      add(x, attention(x, mask, block + ".0", stage));
      add(x, feed_forward(x, block + ".1"));
    }
    return x;
  }

  static void add(Volume& x, const Volume& other) {
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += other.values[i];
  }

  Volume guide(const Volume& mask, const std::string& name, int stage, const Volume& feature) const {
    const Volume m = convolve(mask, name + ".conv1", 1, 1, 0);
    const Volume t = convolve(convolve(m, name + ".conv2", 1, 1, 0), name + ".depth_conv", 5, 1, 2);
    Volume out(feature.channels, feature.height, feature.width);
    out.each([&](int c, int y, int x) {
      const int channel = step_ < 0 ? feature.channels - 1 - c : c;
      const int wanted = static_cast<int>(std::floor(channel * std::fabs(step_) / std::pow(4, stage)));
      const int from = x + std::min(wanted, mask.width - feature.width);
      return m(c, y, from) * (1 + 1 / (1 + std::exp(-t(c, y, from))));
    });
    return out;
  }

  Volume attention(const Volume& x, const Volume& mask, const std::string& name, int stage) const {
    const int size = weights_.config.bands;
    const Volume q = linear(x, name + ".to_q");
    const Volume k = linear(x, name + ".to_k");
    const Volume v = linear(x, name + ".to_v");
    const Volume m = guide(mask, name + ".mm", stage, x);
    const int pixels = x.height * x.width;
    const auto value = [&](const Volume& of, int c, int p) {
      return of.values[static_cast<std::size_t>(c * pixels + p)];
    };
    const auto norm = [&](const Volume& of, int c) {
      double sum = 0;
      for (int p = 0; p < pixels; ++p) sum += value(of, c, p) * value(of, c, p);
      return std::max(std::sqrt(sum), 1e-12);
    };
    Volume mixed(x.channels, x.height, x.width);
    for (int first = 0; first < x.channels; first += size) {
      for (int i = first; i < first + size; ++i) {
        std::vector<double> a;
        double sum = 0;
        for (int j = first; j < first + size; ++j) {
          double product = 0;
          for (int p = 0; p < pixels; ++p) product += value(k, i, p) * value(q, j, p);
          const double rescale = tensor(name + ".rescale")[static_cast<std::size_t>(first / size)];
          a.push_back(std::exp(rescale * product / (norm(k, i) * norm(q, j))));
          sum += a.back();
        }
        for (int p = 0; p < pixels; ++p) {
          double result = 0;
          for (int j = 0; j < size; ++j) {
            result += a[static_cast<std::size_t>(j)] / sum * value(v, first + j, p) * value(m, first + j, p);
          }
          mixed.values[static_cast<std::size_t>(i * pixels + p)] = result;
        }
      }
    }
    Volume out = linear(mixed, name + ".proj");
    Volume position = convolve(v, name + ".pos_emb.0", 3, 1, 1);
    for (double& p : position.values) p = gelu(p);
    add(out, convolve(position, name + ".pos_emb.2", 3, 1, 1));
    return out;
  }

  Volume feed_forward(const Volume& x, const std::string& name) const {
    Volume normal = x;
    normal.each([&](int c, int y, int p) {
      double mean = 0;
      double variance = 0;
      for (int i = 0; i < x.channels; ++i) mean += x(i, y, p) / x.channels;
      for (int i = 0; i < x.channels; ++i) variance += (x(i, y, p) - mean) * (x(i, y, p) - mean) / x.channels;
      const auto at = static_cast<std::size_t>(c);
      return (x(c, y, p) - mean) / std::sqrt(variance + 1e-5) * tensor(name + ".norm.weight")[at] +
             tensor(name + ".norm.bias")[at];
    });
    Volume wide = convolve(normal, name + ".fn.net.0", 1, 1, 0);
    for (double& v : wide.values) v = gelu(v);
    wide = convolve(wide, name + ".fn.net.2", 3, 1, 1);
    for (double& v : wide.values) v = gelu(v);
    return convolve(wide, name + ".fn.net.4", 1, 1, 0);
  }

  const Weights& weights_;
  mutable double step_ = 0;
};

}  // namespace snapcube::testing
