#include "models/layer_list.h"

#include <functional>
#include <numeric>

namespace snapcube {

namespace {

void add_cost(LayerCost& layer, double multiply_adds) {
  layer.multiply_adds += multiply_adds;
  layer.counted_by_paper += multiply_adds;
}

}  // namespace

LayerCost total(const std::vector<LayerCost>& layers) {
  LayerCost sum;
  sum.name = "total";
  for (const LayerCost& l : layers) {
    sum.parameters += l.parameters;
    sum.multiply_adds += l.multiply_adds;
    sum.counted_by_paper += l.counted_by_paper;
  }
  return sum;
}

/// The last one, when it goes by this name.
LayerCost& LayerList::layer(const std::string& name) {
  if (layers_.empty() || layers_.back().name != name) {
    layers_.emplace_back();
    layers_.back().name = name;
  }
  return layers_.back();
}

void LayerList::trained(LayerCost& layer, std::string name, std::vector<std::int64_t> shape) {
  layer.parameters += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  tensors_.push_back({{std::move(name), std::move(shape)}});
}

void LayerList::convolution(const std::string& name, int inputs, int outputs, Extent kernel, Extent output, Bias bias) {
  LayerCost& entry = layer(name);
  trained(entry, name + ".weight", {outputs, inputs, kernel.height, kernel.width});
  if (bias == Bias::yes) trained(entry, name + ".bias", {outputs});
  add_cost(entry, static_cast<double>(inputs) * outputs * kernel.pixels() * output.pixels());
}

void LayerList::deconvolution(const std::string& name, int inputs, int outputs, int kernel, Extent output) {
  LayerCost& entry = layer(name);
  trained(entry, name + ".weight", {inputs, outputs, kernel, kernel});
  trained(entry, name + ".bias", {outputs});
  entry.multiply_adds += static_cast<double>(inputs) * outputs * output.pixels();
  entry.counted_by_paper += static_cast<double>(outputs) * outputs * kernel * kernel * output.pixels();
}

void LayerList::linear(const std::string& name, int inputs, int outputs, double tokens, Bias bias) {
  LayerCost& entry = layer(name);
  trained(entry, name + ".weight", {outputs, inputs});
  if (bias == Bias::yes) trained(entry, name + ".bias", {outputs});
  add_cost(entry, static_cast<double>(inputs) * outputs * tokens);
}

void LayerList::norm(const std::string& name, int channels, double elements) {
  LayerCost& entry = layer(name);
  entry.counted_by_paper += 5 * elements;
  trained(entry, name + ".weight", {channels});
  trained(entry, name + ".bias", {channels});
}

void LayerList::layer_norm(const std::string& name, int channels, double tokens) {
  norm(name, channels, channels * tokens);
}

void LayerList::batch_norm(const std::string& name, int channels, Extent map) {
  norm(name, channels, channels * map.pixels());
  tensors_.push_back({{name + ".running_mean", {channels}}, NetworkTensor::Kind::statistic});
  tensors_.push_back({{name + ".running_var", {channels}}, NetworkTensor::Kind::statistic});
}

void LayerList::parameter(const std::string& name, std::vector<std::int64_t> shape) {
  trained(layer(name), name, std::move(shape));
}

void LayerList::constant(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values) {
  tensors_.push_back({{name, std::move(shape)}, NetworkTensor::Kind::constant, std::move(values)});
}

void LayerList::product(const std::string& name, double multiply_adds) { add_cost(layer(name), multiply_adds); }

}  // namespace snapcube
