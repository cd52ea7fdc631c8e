#include "train/deep_prior.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/torch.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/atomic_file.h"
#include "base/terminal.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/safetensors.h"
#include "models/networks.h"
#include "nets/network_weights.h"
#include "solvers/detector_algebra.h"

namespace snapcube {

namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kMetadataKey = "snapcube_deep_prior";
constexpr std::uint64_t kMaxState = std::uint64_t{4} << 30;

/// Φ as a function that libtorch's autograd knows; its gradient is Φᵀ, for every camera.
class Project : public torch::autograd::Function<Project> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& cube,
                               const Camera* camera) {
    context->saved_data["camera"] = reinterpret_cast<std::int64_t>(camera);
    const auto values = cube.contiguous();
    Cube x(camera->bands(), camera->height(), camera->width());
    std::copy_n(values.data_ptr<float>(), x.size(), x.data());
    const Image y = camera->forward(x);
    return torch::from_blob(const_cast<float*>(y.data()), {y.height(), y.width()}).clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto* camera = reinterpret_cast<const Camera*>(context->saved_data["camera"].toInt());
    const auto values = gradients[0].contiguous();
    Image y(camera->detector_height(), camera->detector_width());
    std::copy_n(values.data_ptr<float>(), y.size(), y.data());
    const Cube x = camera->adjoint(y);
    const auto back = torch::from_blob(const_cast<float*>(x.data()), {1, x.bands(), x.height(), x.width()}).clone();
    return {back, torch::Tensor()};
  }
};

torch::Tensor tensor_of(const Cube& cube) {
  return torch::from_blob(const_cast<float*>(cube.data()), {1, cube.bands(), cube.height(), cube.width()}).clone();
}

struct Options {
  double minutes = 10;
  int iterations = 60;
  int steps = 0;
  double learning_rate = 1e-3;
  double rho = 0.01;
  double data_weight = 1;
  int seed = 1;
  std::string state;
};

/// What is kept from iteration to iteration, and in the state's file.
struct State {
  int iteration = 0;
  double seconds = 0;  ///< of all runs so far
  torch::Tensor x, v, u;
  nets::NetworkPtr network;

  std::vector<std::pair<std::string, torch::Tensor>> tensors() const {
    auto list = nets::kept_tensors(*network);
    list.emplace_back("x", x);
    list.emplace_back("v", v);
    list.emplace_back("u", u);
    return list;
  }
};

void save(const State& state, const std::string& path) {
  if (path.empty()) return;
  Safetensors content;
  content.metadata[kMetadataKey] = nlohmann::json{{"iteration", state.iteration}, {"seconds", state.seconds}}.dump();
  std::vector<torch::Tensor> kept;
  for (const auto& [name, tensor] : state.tensors()) {
    kept.push_back(tensor.detach().contiguous());
    const auto& t = kept.back();
    content.tensors.push_back(
        {name, TensorType::f32, t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}});
  }
  const std::vector<std::byte> bytes = safetensors_file(std::move(content));
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void load(State& state, const std::string& path) {
  const auto bytes = InputFile(path).rest(0, kMaxState);
  const Safetensors content = parse_safetensors(bytes, path);
  const auto found = content.metadata.find(kMetadataKey);
  const auto numbers =
      found == content.metadata.end() ? nlohmann::json() : nlohmann::json::parse(found->second, nullptr, false);
  if (!numbers.is_object() || !numbers.contains("iteration") || !numbers["iteration"].is_number_integer() ||
      !numbers.contains("seconds") || !numbers["seconds"].is_number()) {
    throw InputError(path, "", "the state of a DIP-HSI run", "another file");
  }
  const torch::NoGradGuard no_gradient;
  for (auto& [name, tensor] : state.tensors()) {
    const auto entry = std::ranges::find(content.tensors, name, &TensorView::name);
    if (entry == content.tensors.end() || entry->type != TensorType::f32 ||
        tensor.sizes() != at::IntArrayRef(entry->shape)) {
      throw InputError(path, fmt::format("tensor '{}'", name), shape_text(tensor.sizes().vec()),
                       entry == content.tensors.end() ? "none" : shape_text(entry->shape));
    }
    auto copy = torch::empty(tensor.sizes());
    std::memcpy(copy.data_ptr(), entry->bytes.data(), entry->bytes.size());
    tensor.copy_(copy);
  }
  state.iteration = numbers["iteration"];
  state.seconds = numbers["seconds"];
}

class DeepPrior final : public SolverMethod {
 public:
  MethodInfo info() override {
    const NetworkInfo& network = *find_network("dip-hsi");
    return {network.name, network.title, network.description, parameters().describe()};
  }
  void configure(const Reconstructor::Settings& settings) override { parameters().apply(settings); }

 private:
  void solve(const Image& measurement, const Camera& camera, const ProgressCallback& progress, Cube& result) override;
  ParameterList parameters() {
    ParameterList list("dip-hsi");
    list.add("minutes", options_.minutes, 0, "time that this run may take");
    list.add("iterations", options_.iterations, 1, "most outer iterations");
    list.add("steps", options_.steps, 0, "steps of Adam in each; 0: 500, or fewer so that ten iterations fit the time");
    list.add("learning_rate", options_.learning_rate, 0, "of Adam");
    list.add("rho", options_.rho, 0, "how near the cube stays to the network's, relative to ΦΦᵀ");
    list.add("data_weight", options_.data_weight, 0, "weight of the measurement in the network's loss");
    list.add("seed", options_.seed, 0, "of the network and its noise");
    list.add("state", options_.state, "file to go on from, and to keep the state in");
    return list;
  }
  Options options_;
};

void DeepPrior::solve(const Image& measurement, const Camera& camera, const ProgressCallback& progress, Cube& result) {
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const double budget = options_.minutes * 60;
  const double unit = brightness(measurement, camera);
  std::ranges::fill(result.values(), 0.0f);
  if (!(unit > 0)) return;

  // The scene in units of its brightness, so that one learning rate serves dark and bright captures.
  const Image diagonal = camera.row_sums();
  const auto sums =
      torch::from_blob(const_cast<float*>(diagonal.data()), {diagonal.height(), diagonal.width()}).clone();
  const double mean_sum = sums.mean().item<double>();
  const auto y = torch::from_blob(const_cast<float*>(measurement.data()), sums.sizes()).clone() / (3 * unit);
  const double rho = options_.rho * mean_sum;
  const auto adjoint = [&](const torch::Tensor& image) {
    Image i(camera.detector_height(), camera.detector_width());
    std::copy_n(image.contiguous().data_ptr<float>(), i.size(), i.data());
    return tensor_of(camera.adjoint(i));
  };

  torch::manual_seed(static_cast<std::uint64_t>(options_.seed));
  ModelConfig config = network_config("dip-hsi");
  config.bands = camera.bands();
  config.wavelengths.clear();
  State state;
  state.network = nets::make_network(config);
  const std::vector<std::int64_t> shape = {1, camera.bands(), camera.height(), camera.width()};
  const auto noise = torch::rand(shape);
  state.x = torch::zeros(shape);
  state.v = adjoint(y / sums.clamp_min(1e-6));
  state.u = torch::zeros(shape);
  std::error_code ignored;
  if (!options_.state.empty() && std::filesystem::exists(options_.state, ignored)) {
    load(state, options_.state);
    log_info(fmt::format("{}: going on after iteration {}, {} so far", options_.state, state.iteration,
                         duration_text(state.seconds)));
  }
  const double seconds_before = state.seconds;
  double residual = 1;
  constexpr int kParts = 1000;
  const auto report_time = [&](double share) {
    state.seconds = seconds_before + elapsed();
    const int part = static_cast<int>(std::clamp(share, 0.0, 1.0) * kParts);
    if (progress && !progress({part, kParts, residual})) {
      save(state, options_.state);
      throw Interrupted();
    }
  };

  state.network->train();
  int steps = options_.steps;
  while (state.iteration < options_.iterations && elapsed() < budget) {
    {
      const torch::NoGradGuard no_gradient;
      const auto z = state.v + state.u;
      state.x = z + adjoint((y - Project::apply(z, &camera)) / (rho + sums));
    }
    const auto goal = (state.x - state.u).detach();
    torch::optim::Adam adam(state.network->parameters(), torch::optim::AdamOptions(options_.learning_rate));
    torch::Tensor output;
    for (int step = 0; steps == 0 || step < steps; ++step) {
      const double before = elapsed();
      adam.zero_grad();
      output = state.network->forward(noise, {}).cube;
      const auto error = Project::apply(output, &camera) - y;
      const auto loss = torch::mse_loss(output, goal) + options_.data_weight * error.square().mean() / mean_sum;
      loss.backward();
      adam.step();
      residual = (error.norm() / y.norm()).item<double>();
      if (steps == 0 && step == 1) {  // the first step allocates
        const double each = elapsed() - before;
        steps = std::clamp(static_cast<int>(budget / 10 / each), 5, 500);
        log_info(fmt::format("dip-hsi: {} steps of {} each iteration", steps, duration_text(each)));
      }
      report_time(std::max(elapsed() / budget, (state.iteration + (steps > 0 ? static_cast<double>(step) / steps : 0)) /
                                                   options_.iterations));
      if (elapsed() > budget) break;
    }
    const torch::NoGradGuard no_gradient;
    state.v = output.detach();
    state.u = state.u + state.v - state.x;
    ++state.iteration;
    state.seconds = seconds_before + elapsed();
    save(state, options_.state);
  }
  const torch::NoGradGuard no_gradient;
  const auto z = state.v;
  const auto cube = ((z + adjoint((y - Project::apply(z, &camera)) / (rho + sums))) * (3 * unit)).contiguous();
  std::copy_n(cube.data_ptr<float>(), result.size(), result.data());
  log_info(fmt::format("dip-hsi: {} iterations in {}", state.iteration, duration_text(state.seconds)));
}

}  // namespace

std::unique_ptr<Reconstructor::Method> make_deep_prior() { return std::make_unique<DeepPrior>(); }

}  // namespace snapcube
