#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include <snapcube/error.h>

#include "commands/training/libtorch.h"
#include "commands/training/training.h"
#include "models/networks.h"
#include "nets/network_weights.h"

namespace snapcube {

namespace {

constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 32;

struct BenchReference {
  std::string model = "cst-s";
  int size = 256;
  int threads = 0;
  std::uint64_t seed = 1;

  void run() const {
    use_threads(threads);
    const torch::InferenceMode inference;
    nets::NetworkPtr network;
    if (std::filesystem::exists(model)) {
      network = nets::network_of(read_weights(model, kMaxWeights));
    } else {
      torch::manual_seed(seed);
      network = nets::make_network(network_config(model));
      network->eval();
    }
    torch::manual_seed(seed);
    const auto measurement = torch::rand({1, network->config().bands, size, size});
    const auto mask = (torch::rand({1, size, size}) > 0.5).to(torch::kFloat);
    network->reconstruct(measurement, mask);  // the first one allocates
    fmt::print("ready\n");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line) && line == "run";) {
      const auto start = std::chrono::steady_clock::now();
      network->reconstruct(measurement, mask);
      fmt::print("{:.6f}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      std::fflush(stdout);
    }
  }
};

}  // namespace

void add_bench_reference(CLI::App& program) {
  auto command = std::make_shared<BenchReference>();
  CLI::App* sub = program.add_subcommand("bench-reference", "times the reference network, for `snapcube bench`");
  sub->add_option("--model", command->model, "a variant, with random weights, or a weights file")
      ->capture_default_str();
  sub->add_option("--size", command->size, "height and width of the frame")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  sub->add_option("--threads", command->threads, "0: all cores")->capture_default_str();
  sub->add_option("--seed", command->seed, "of weights and frame")->capture_default_str();
  sub->footer(
      "Prints `ready`, then for every line `run` on standard input the seconds of one reconstruction.\n"
      "Example:\n"
      "  printf 'run\\nrun\\n' | snapcube-train bench-reference --model cst-s --size 256 --threads 2");
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
