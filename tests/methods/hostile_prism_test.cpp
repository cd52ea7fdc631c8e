// Weights files of Prism that lie: each is refused by name before a network is made of it.

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>
#include <snapcube/reconstructor.h>

#include "engine/random_weights.h"
#include "io/safetensors.h"
#include "models/networks.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

Weights sound(const char* name = "prism-s") {
  ModelConfig config = network_config(name);
  config.bands = 2;
  config.wavelengths.clear();
  return engine::random_weights(config, 1);
}

/// A file with this configuration, whatever it says, and these tensors, whatever they are.
void write_unchecked(const std::string& path, const std::string& config, const Weights& weights,
                     TensorType type = TensorType::f32) {
  Safetensors content;
  content.metadata["snapcube"] = config;
  for (const auto& [name, tensor] : weights.tensors) {
    const auto bytes = std::as_bytes(std::span(tensor.values));
    content.tensors.push_back({name, type, tensor.shape, bytes});
  }
  const std::vector<std::byte> bytes = safetensors_file(std::move(content));
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

struct HostilePrism : ::testing::Test {
  TemporaryFolder folder;
  LogCapture quiet;

  std::string refusal() {
    return error_of<InputError>([&] { Reconstructor::open(folder / "x.safetensors"); });
  }
  std::string of_config(const std::string& config) {
    write_unchecked(folder / "x.safetensors", config, sound());
    return refusal();
  }
};

TEST_F(HostilePrism, TheSoundOneIsTaken) {
  write_unchecked(folder / "x.safetensors", to_json(sound().config).dump(), sound());
  EXPECT_EQ(Reconstructor::open(folder / "x.safetensors").method(), "prism-s");
}

TEST_F(HostilePrism, Configurations) {
  const auto with = [](const std::string& key, const nlohmann::json& value) {
    auto json = to_json(sound().config);
    json[key] = value;
    return json.dump();
  };
  const std::pair<std::string, const char*> table[] = {
      {with("bands", 0), "bands: expected 1 … 1024, found 0"},
      {with("bands", -1), "bands: expected 1 … 1024, found -1"},
      {with("bands", 1025), "bands: expected 1 … 1024, found 1025"},
      {with("bands", std::numeric_limits<std::int64_t>::max()), "configuration 'bands': expected a fitting value"},
      {with("bands", 1e300), "configuration 'bands': expected a fitting value"},
      {with("bands", "28"), "configuration 'bands': expected a fitting value"},
      {with("bands", nullptr), "configuration 'bands': expected a fitting value"},
      {with("bands", 3), "of another shape"},
      {with("bands", 1024), "of another shape"},
      {with("step", 1'000'000), "step: expected -1000 … 1000 pixels, found 1000000"},
      {with("step", 0.5), "configuration 'step': expected a fitting value"},
      {with("scale", "min"), "configuration 'scale': expected a fitting value"},
      {with("wavelengths", {450}), "wavelengths: expected 2, one for each band, found 1"},
      {with("wavelengths", {450, 0}), "wavelengths: expected numbers above 0, found 0"},
      {with("wavelengths", {{"a", 1}}), "configuration 'wavelengths': expected a fitting value"},
      {with("blocks", {1, 1, 1}), "configuration: expected one of the keys"},
      {with("stages", 1'000'000), "configuration: expected one of the keys"},
      {with("variant", "prism-m"), "missing"},
      {with("variant", "prism-xl"), "missing"},
      {with("variant", "../prism-s"), "variant: expected a short name"},
      {with("variant", 5), "configuration 'variant': expected a fitting value"},
      {"[]", "configuration: expected a JSON object, found array"},
      {"", "expected JSON"},
      {R"({"variant":"prism-s")", "expected JSON"},
      {std::string(60'000, '['), "metadata 'snapcube': expected a flat JSON object, found a nested one"},
      {std::string(100'000, '['), "metadata 'snapcube': expected at most 65536 bytes"},
  };
  for (const auto& [config, verdict] : table) {
    SCOPED_TRACE(config.substr(0, 200));
    const std::string message = of_config(config);
    expect_contains(message, verdict);
    expect_contains(message, folder / "x.safetensors");
  }
}

TEST_F(HostilePrism, Tensors) {
  using Change = std::function<void(Weights&)>;
  const auto reshaped = [](const char* name, const std::vector<std::int64_t>& shape) -> Change {
    return [=](Weights& w) {
      std::size_t count = 1;
      for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
      w.tensors.at(name) = {name, shape, FloatBuffer(count)};
    };
  };
  const auto value = [](const char* name, float v) -> Change {
    return [=](Weights& w) { w.tensors.at(name).values[0] = v; };
  };
  const std::pair<Change, const char*> table[] = {
      {[](Weights& w) { w.tensors.clear(); }, "missing"},
      {[](Weights& w) { w.tensors.erase("stages.0.eta"); }, "1 missing: stages.0.eta"},
      {[](Weights& w) { w.tensors.erase("error.bias"); }, "1 missing: error.bias"},
      {[](Weights& w) { w.tensors["stages.4.eta"] = w.tensors["stages.0.eta"]; }, "1 unexpected: 'stages.4.eta'"},
      {[](Weights& w) { w.tensors = sound("prism-m").tensors; }, "unexpected"},
      {reshaped("stages.0.eta", {}), "1 of another shape: stages.0.eta"},
      {reshaped("stages.0.eta", {0}), "1 of another shape: stages.0.eta"},
      {reshaped("stages.0.mu", {2}), "1 of another shape: stages.0.mu"},
      {reshaped("stages.0.input.weight", {2, 10, 1, 1}), "1 of another shape: stages.0.input.weight"},
      {reshaped("stages.1.input.weight", {2, 6, 1, 1}), "1 of another shape: stages.1.input.weight"},
      {reshaped("stages.1.double.0.weight", {2, 4, 2, 2}), "1 of another shape: stages.1.double.0.weight"},
      {reshaped("stages.1.halve.0.weight", {4, 2, 4, 4, 1}), "1 of another shape: stages.1.halve.0.weight"},
      {reshaped("error.weight", {0, 2, 1, 1}), "1 of another shape: error.weight"},
      {value("stages.2.mu", std::numeric_limits<float>::quiet_NaN()), "stages.2.mu"},
      {value("stages.2.eta", std::numeric_limits<float>::infinity()), "stages.2.eta"},
      {value("stages.3.output.weight", -std::numeric_limits<float>::infinity()), "stages.3.output.weight"},
  };
  for (const auto& [change, verdict] : table) {
    SCOPED_TRACE(verdict);
    Weights weights = sound();
    change(weights);
    write_unchecked(folder / "x.safetensors", to_json(weights.config).dump(), weights);
    const std::string message = refusal();
    expect_contains(message, verdict);
    expect_contains(message, folder / "x.safetensors");
  }
  // Whole numbers have no fractions to be weights with.
  write_unchecked(folder / "x.safetensors", to_json(sound().config).dump(), sound(), TensorType::i32);
  expect_contains(refusal(), "I32");
}

TEST_F(HostilePrism, FilesThatEndEarly) {
  write_unchecked(folder / "good.safetensors", to_json(sound().config).dump(), sound());
  const std::string good = file_content(folder / "good.safetensors");
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    write_file(folder / "x.safetensors", good.substr(0, length));
    EXPECT_FALSE(refusal().empty()) << length;
  }
}

}  // namespace
}  // namespace snapcube
