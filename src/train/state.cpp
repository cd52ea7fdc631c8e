#include "train/state.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/safetensors.h"

namespace snapcube {

namespace {

constexpr const char* kMetadataKey = "snapcube_checkpoint";
/// CST-L* with Adam's moments and averaged weights takes 48 MB, TSA-Net 710 MB.
constexpr std::uint64_t kMaxCheckpoint = std::uint64_t{4} << 30;

void append(std::vector<std::pair<std::string, torch::Tensor>>& list, const std::string& prefix,
            const nets::NetworkPtr& network) {
  for (const auto& [name, tensor] : nets::kept_tensors(*network)) list.emplace_back(prefix + name, tensor);
}

}  // namespace

torch::optim::AdamParamState& moments(torch::optim::Adam& adam, const torch::Tensor& parameter) {
  auto& state = adam.state()[c10::guts::to_string(parameter.unsafeGetTensorImpl())];
  if (!state) {
    // What Adam does in its first step; done here so that every checkpoint holds the same tensors.
    auto fresh = std::make_unique<torch::optim::AdamParamState>();
    fresh->step(0);
    fresh->exp_avg(torch::zeros_like(parameter, torch::MemoryFormat::Preserve));
    fresh->exp_avg_sq(torch::zeros_like(parameter, torch::MemoryFormat::Preserve));
    state = std::move(fresh);
  }
  return static_cast<torch::optim::AdamParamState&>(*state);
}

std::vector<std::pair<std::string, torch::Tensor>> TrainState::tensors() const {
  std::vector<std::pair<std::string, torch::Tensor>> list;
  append(list, "model.", network);
  if (average) append(list, "average.", average);
  for (const auto& p : network->named_parameters()) {
    auto& m = moments(*adam, p.value());
    list.emplace_back("adam.first." + p.key(), m.exp_avg());
    list.emplace_back("adam.second." + p.key(), m.exp_avg_sq());
  }
  return list;
}

void TrainState::tell_adam_the_step() {
  for (const auto& p : network->parameters()) moments(*adam, p).step(step);
}

TrainState new_state(const TrainConfig& config, const torch::Device& device, const Weights* initial,
                     nets::Transfer* transfer) {
  TrainState state;
  torch::manual_seed(config.seed);
  state.network = nets::make_network(config.model);
  // libtorch's generator is not promised to be the same in every version; a model's hash vectors are.
  Weights hashes{config.model, {}};
  draw_hash_vectors(hashes, config.seed);
  nets::take_weights(*state.network, hashes);
  if (initial) {
    const nets::Transfer found = nets::take_weights(*state.network, *initial);
    if (transfer) *transfer = found;
  }
  state.network->to(device);
  state.network->use_kernels(!config.reference);
  if (config.ema > 0) {
    state.average = nets::make_network(config.model);
    nets::take_weights(*state.average, nets::weights_of(*state.network));
    state.average->to(device);
    state.average->use_kernels(!config.reference);
    state.average->eval();
    for (auto& p : state.average->parameters()) p.set_requires_grad(false);
  }
  state.adam = std::make_unique<torch::optim::Adam>(
      state.network->parameters(), torch::optim::AdamOptions(config.learning_rate).betas({0.9, 0.999}));
  return state;
}

void save_checkpoint(const TrainState& state, const std::string& path) {
  Safetensors content;
  const nlohmann::ordered_json numbers = {{"step", state.step},
                                          {"batch", state.batch},
                                          {"best_psnr", state.best_psnr},
                                          {"model", to_json(state.network->config())}};
  content.metadata[kMetadataKey] = numbers.dump();
  std::vector<torch::Tensor> kept;  // keeps what the views show
  for (const auto& [name, tensor] : state.tensors()) {
    kept.push_back(tensor.detach().to(torch::kCPU).contiguous());
    const auto& t = kept.back();
    content.tensors.push_back(
        {name, TensorType::f32, t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}});
  }
  const std::vector<std::byte> bytes = safetensors_file(std::move(content));
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void load_checkpoint(TrainState& state, const std::string& path) {
  const auto bytes = InputFile(path).rest(0, kMaxCheckpoint);
  const Safetensors content = parse_safetensors(bytes, path);
  const auto found = content.metadata.find(kMetadataKey);
  if (found == content.metadata.end()) {
    throw InputError(path, "", "a checkpoint of a training run", "a safetensors file of another kind");
  }
  const auto numbers = nlohmann::json::parse(found->second, nullptr, false);
  const auto number = [&](const char* key) {
    const auto entry = numbers.is_object() ? numbers.find(key) : numbers.end();
    if (!numbers.is_object() || entry == numbers.end() || !entry->is_number()) {
      throw InputError(path, fmt::format("metadata '{}'", key), "a number", "none");
    }
    return *entry;
  };
  if (!numbers.is_object() || !numbers.contains("model") ||
      model_config_from_json(numbers["model"], path) != state.network->config()) {
    throw InputError(path, "model", "the network of the run's configuration", "another one");
  }
  std::map<std::string, const TensorView*> by_name;
  for (const TensorView& tensor : content.tensors) by_name[tensor.name] = &tensor;
  const auto targets = state.tensors();
  for (const auto& [name, target] : targets) {
    const auto entry = by_name.find(name);
    if (entry == by_name.end() && name.starts_with("average.")) continue;  // EMA was switched on later
    if (entry == by_name.end()) throw InputError(path, fmt::format("tensor '{}'", name), "one", "none");
    if (target.sizes() != at::IntArrayRef(entry->second->shape) || entry->second->type != TensorType::f32) {
      throw InputError(path, fmt::format("tensor '{}'", name), "f32, " + shape_text(target.sizes().vec()),
                       shape_text(entry->second->shape));
    }
  }
  const torch::NoGradGuard no_gradient;
  for (const auto& [name, target] : targets) {
    torch::Tensor tensor = target;
    const auto entry = by_name.find(name);
    if (entry == by_name.end()) {
      const auto own = by_name.at("model." + name.substr(8));
      tensor.copy_(torch::from_blob(const_cast<std::byte*>(own->bytes.data()), target.sizes()).clone());
      continue;
    }
    auto copy = torch::empty(target.sizes());
    std::memcpy(copy.data_ptr(), entry->second->bytes.data(), entry->second->bytes.size());
    tensor.copy_(copy);
  }
  state.step = number("step").get<std::int64_t>();
  state.batch = number("batch").get<std::int64_t>();
  state.best_psnr = number("best_psnr").get<double>();
  state.tell_adam_the_step();
}

}  // namespace snapcube
