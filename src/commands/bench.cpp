// snapcube bench: how long the engine takes for a frame on this machine, and beside what.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <sys/resource.h>

#include <snapcube/snapcube.h>

#include "base/random.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "commands/reference_process.h"
#include "engine/cst_network.h"
#include "engine/mst_network.h"
#include "engine/prism_network.h"
#include "engine/random_weights.h"
#include "models/mst_form.h"
#include "models/networks.h"
#include "models/prism_form.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube bench
  snapcube bench --model cst-l --size 512 --threads 1
  snapcube bench --model my.safetensors --profile
  snapcube bench --model cst-s --against torch --json
  snapcube bench --model prism-s --against cst-s --against torch

Times are medians over all runs of the network alone, on a random frame. What MST derives from the mask is computed once,
before the runs; what Prism derives from the camera is computed for every frame, as in a reconstruction. Multiply-adds are
those of the reference network; the engine needs fewer. --against also times the reference network of snapcube-train
(torch), or another network of the engine on a frame of its own camera, one frame each in turn; resident memory is then
that of both.
)";

/// The reference network, among what to compare with.
constexpr const char* kTorch = "torch";

struct Bench {
  std::string model = "cst-s";
  int size = 256;
  int runs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> against;
  bool json = false;
  bool markdown = false;
  bool profile = false;
  std::uint64_t max_bytes = ReadOptions().max_bytes;

  void run() const;
};

struct Times {
  std::vector<double> seconds;

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }
  double least() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double most() const { return *std::max_element(seconds.begin(), seconds.end()); }
};

/// What runs in turn with the network: the reference, or another network of the engine.
struct Other {
  std::string name;  ///< "torch", or a model
  std::function<double()> run = {};
  Times times = {};

  std::string title() const { return name == kTorch ? "libtorch" : name; }
};

struct Result {
  std::string model;
  int size = 0;
  int threads = 0;
  Times engine;
  std::vector<Other> others;
  double multiply_adds = 0;
  double peak = 0;  ///< multiply-adds per second
  double peak_rss_mb = 0;
  double planned_mb = 0;

  double rate() const { return multiply_adds / engine.median(); }
};

/// A network of the engine, whichever it is, made ready for frames of one camera.
struct Prepared {
  std::function<void()> infer;
  std::function<std::size_t()> planned_bytes;
  std::function<void(engine::Profile*)> set_profile;
};

Prepared prepare(const Weights& weights, const engine::Frame& frame, const Image& measurement, int threads, Cube& out) {
  const auto wrap = [](auto network, auto run) {
    return Prepared{[=] { run(*network); }, [=] { return network->planned_bytes(); },
                    [=](engine::Profile* profile) { network->set_profile(profile); }};
  };
  if (find_prism_form(weights.config.variant)) {
    const auto network = std::make_shared<engine::PrismNetwork>(weights);
    const auto capture = std::make_shared<engine::CanonicalCapture>();
    const auto error = std::make_shared<Image>(frame.height(), frame.width());
    Prepared prepared = wrap(network, [&frame, &measurement, &out, threads, capture, error](engine::PrismNetwork& n) {
      capture->take(measurement, frame.camera());
      n.run(*capture, threads, frame.height(), out, error.get());
    });
    prepared.planned_bytes = [=] { return network->planned_bytes() + capture->bytes(); };
    return prepared;
  }
  if (find_mst_form(weights.config.variant)) {
    const auto network = std::make_shared<engine::MstNetwork>(weights);
    network->prepare(frame.camera(), threads);
    return wrap(network, [&](engine::MstNetwork& n) { n.run(frame, out); });
  }
  const FrameSize usable = usable_size(weights.config, frame.height(), frame.width());
  const auto network = std::make_shared<engine::CstNetwork>(weights);
  network->prepare(usable.height, usable.width, threads);
  return wrap(network, [&frame, &out, usable](engine::CstNetwork& n) {
    n.run(frame, {0, 0, usable.height, usable.width, nullptr}, out);
  });
}

/// A name has random weights. Throws InputError for what the engine does not run.
Weights weights_of(const std::string& model, std::uint64_t seed, std::uint64_t max_bytes) {
  const std::vector<std::string> names = network_names();
  const bool name = std::ranges::find(names, model) != names.end();
  Weights weights = name ? engine::random_weights(network_config(model), seed) : read_weights(model, max_bytes);
  const NetworkInfo* other = find_network(weights.config.variant);
  if (other && !other->in_engine) {
    throw InputError(fmt::format("{}: {} runs only in snapcube-train", model, other->title));
  }
  return weights;
}

template <typename F>
double seconds_of(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_json(const Result& r) {
  nlohmann::ordered_json root = {{"model", r.model},
                                 {"size", r.size},
                                 {"threads", r.threads},
                                 {"runs", r.engine.seconds.size()},
                                 {"median_s", r.engine.median()},
                                 {"min_s", r.engine.least()},
                                 {"max_s", r.engine.most()},
                                 {"frames_per_s", 1 / r.engine.median()},
                                 {"gmac_per_s", r.rate() / 1e9},
                                 {"peak_gmac_per_s", r.peak / 1e9},
                                 {"peak_share", r.rate() / r.peak},
                                 {"planned_mb", r.planned_mb},
                                 {"peak_rss_mb", r.peak_rss_mb}};
  for (const Other& other : r.others) {
    const double ratio = other.times.median() / r.engine.median();
    if (other.name == kTorch) {
      root["torch_median_s"] = other.times.median();
      root["torch_min_s"] = other.times.least();
      root["ratio"] = ratio;
    } else {
      root["against"].push_back({{"model", other.name},
                                 {"median_s", other.times.median()},
                                 {"min_s", other.times.least()},
                                 {"ratio", ratio}});
    }
  }
  fmt::print("{}\n", root.dump(2));
}

void print_markdown(const Result& r) {
  fmt::print("| model | size | threads | median s | min … max | frames/s | GMAC/s | of peak | peak MB |");
  for (const Other& other : r.others) fmt::print(" {} s | ratio |", other.title());
  fmt::print("\n|---|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (std::size_t i = 0; i < r.others.size(); ++i) fmt::print("---:|---:|");
  fmt::print("\n");
  fmt::print("| {} | {}² | {} | {:.4f} | {:.4f} … {:.4f} | {:.1f} | {:.0f} | {:.0f} % | {:.0f} |", r.model, r.size,
             r.threads, r.engine.median(), r.engine.least(), r.engine.most(), 1 / r.engine.median(), r.rate() / 1e9,
             100 * r.rate() / r.peak, r.peak_rss_mb);
  for (const Other& other : r.others) {
    fmt::print(" {:.3f} | {:.2f} |", other.times.median(), other.times.median() / r.engine.median());
  }
  fmt::print("\n");
}

void print_text(const Result& r) {
  fmt::print("{} · {}×{} · {} thread{}\n", r.model, r.size, r.size, r.threads, r.threads == 1 ? "" : "s");
  fmt::print("  median      {:.2f} ms of {} runs ({:.2f} … {:.2f}), {:.1f} frames/s\n", 1e3 * r.engine.median(),
             r.engine.seconds.size(), 1e3 * r.engine.least(), 1e3 * r.engine.most(), 1 / r.engine.median());
  fmt::print(
      "  work        {:.2f} G multiply-adds a frame: {:.0f} G/s, {:.0f} % of the {:.0f} G/s that the cores reach\n",
      r.multiply_adds / 1e9, r.rate() / 1e9, 100 * r.rate() / r.peak, r.peak / 1e9);
  fmt::print("  memory      {:.0f} MB planned, {:.0f} MB resident at most\n", r.planned_mb, r.peak_rss_mb);
  for (const Other& other : r.others) {
    fmt::print("  {:<12}median {:.1f} ms ({:.1f} … {:.1f}): {:.2f} times as long\n", other.title(),
               1e3 * other.times.median(), 1e3 * other.times.least(), 1e3 * other.times.most(),
               other.times.median() / r.engine.median());
  }
}

/// Per layer, on the clock; per kernel, as shares of the time of all threads.
void print_profile(const engine::Profile& profile, int runs) {
  double layers = 0;
  for (const engine::LayerTime& l : profile.layers) layers += l.seconds;
  fmt::print("\n{:<36}{:>10}{:>8}\n", "layer", "ms", "share");
  for (const engine::LayerTime& l : profile.layers) {
    fmt::print("{:<36}{:>10.2f}{:>7.1f}%\n", l.name, 1e3 * l.seconds / runs, 100 * l.seconds / layers);
  }
  double kernels = 0;
  for (const double s : profile.kernels.seconds) kernels += s;
  fmt::print("\n{:<36}{:>10}{:>8}\n", "kernel (all threads)", "ms", "share");
  for (std::size_t k = 0; k < engine::kKernels; ++k) {
    if (profile.kernels.seconds[k] == 0) continue;
    fmt::print("{:<36}{:>10.2f}{:>7.1f}%\n", engine::kernel_names()[k], 1e3 * profile.kernels.seconds[k] / runs,
               100 * profile.kernels.seconds[k] / kernels);
  }
}

/// A network with a random frame of its camera.
class OnAFrame {
 public:
  OnAFrame(const Weights& weights, int size, std::uint64_t seed, int threads)
      : config_(weights.config),
        camera_(random_mask(size, size, MaskKind::binary, 0.5, seed), {.bands = config_.bands, .step = config_.step}),
        measurement_(camera_.detector_height(), camera_.detector_width()),
        frame_(measurement_, camera_, config_.scale),
        out_(config_.bands, size, size) {
    Random random(seed);
    for (float& v : measurement_.values()) v = static_cast<float>(random.uniform(0, 0.5 * config_.bands));
    network_ = prepare(weights, frame_, measurement_, threads, out_);
  }
  OnAFrame(const OnAFrame&) = delete;
  OnAFrame& operator=(const OnAFrame&) = delete;

  const ModelConfig& config() const { return config_; }
  const Prepared& network() const { return network_; }

 private:
  ModelConfig config_;
  Camera camera_;
  Image measurement_;
  engine::Frame frame_;  ///< of camera_ and measurement_
  Cube out_;
  Prepared network_;
};

/// One that is ready, and has run once.
Other make_other(const std::string& name, const Bench& bench, int threads) {
  if (name == kTorch) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto process = std::make_shared<ReferenceProcess>(bench.model, bench.size, threads, bench.seed);
    process->run();
    return {name, [process] { return process->run(); }};
  }
  const auto other =
      std::make_shared<OnAFrame>(weights_of(name, bench.seed, bench.max_bytes), bench.size, bench.seed, threads);
  other->network().infer();
  return {name, [other] { return seconds_of(other->network().infer); }};
}

void Bench::run() const {
  Result result;
  result.model = model;
  result.size = size;
  result.threads = omp_get_max_threads();
  const OnAFrame measured(weights_of(model, seed, max_bytes), size, seed, result.threads);
  const Prepared& network = measured.network();
  const auto& infer = network.infer;
  for (const std::string& name : against) result.others.push_back(make_other(name, *this, result.threads));
  const double warm_up = seconds_of(infer);
  const int count = runs > 0 ? runs : std::clamp(static_cast<int>(3 / warm_up), 5, 50);
  ProgressLine line("bench " + model);
  for (int i = 0; i < count; ++i) {
    result.engine.seconds.push_back(seconds_of(infer));
    for (Other& other : result.others) other.times.seconds.push_back(other.run());
    line.update(static_cast<double>(i + 1) / count);
    stop_if_interrupted();
  }
  for (Other& other : result.others) other.run = {};  // ends the process, frees the network
  clear_progress_line();
  const FrameSize usable = usable_size(measured.config(), size, size);
  result.multiply_adds = total(network_cost(measured.config(), usable.height, usable.width)).multiply_adds;
  result.planned_mb = static_cast<double>(network.planned_bytes()) / 1e6;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  result.peak_rss_mb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  result.peak = engine::measured_peak(result.threads);

  json ? print_json(result) : markdown ? print_markdown(result) : print_text(result);
  if (profile) {
    engine::Profile times;
    network.set_profile(&times);
    constexpr int kProfiled = 5;
    for (int i = 0; i < kProfiled; ++i) infer();
    print_profile(times, kProfiled);
  }
}

}  // namespace

void add_bench(CLI::App& program) {
  auto command = std::make_shared<Bench>();
  CLI::App* sub = program.add_subcommand("bench", "measure how fast models run on this machine");
  sub->add_option(
         "--model", command->model,
         "a weights file, or a network with random weights: cst-s, cst-m, cst-l, cst-l-star, mst-s, mst-m, mst-l, "
         "prism-s, prism-m")
      ->capture_default_str();
  sub->add_option("--size", command->size, "height and width of the frame")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  sub->add_option("--runs", command->runs, "number of runs (default: as many as fit in about three seconds)")
      ->check(CLI::Range(1, 100000));
  sub->add_option("--seed", command->seed, "seed of the random weights and the frame")->capture_default_str();
  sub->add_option("--against", command->against,
                  "torch: the reference network too, in turn; or another model; may be repeated")
      ->type_size(1)
      ->allow_extra_args(false);
  CLI::Option* json = sub->add_flag("--json", command->json, "print one JSON object");
  sub->add_flag("--markdown", command->markdown, "print a table")->excludes(json);
  sub->add_flag("--profile", command->profile, "also show where the time goes, by layer and by kernel")->excludes(json);
  add_max_memory(*sub, command->max_bytes);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
