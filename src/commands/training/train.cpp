#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <set>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/process.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/exit_code.h"
#include "commands/help.h"
#include "commands/interrupt.h"
#include "commands/training/describe.h"
#include "commands/training/libtorch.h"
#include "commands/training/training.h"
#include "methods/installed_models.h"
#include "methods/torch_bridge.h"
#include "models/any_weights.h"
#include "models/networks.h"
#include "samples/config_file.h"
#include "samples/config_keys.h"
#include "samples/options.h"
#include "train/checkpoints.h"
#include "train/deep_prior.h"
#include "train/network_method.h"
#include "train/run.h"

namespace snapcube {

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  snapcube train --data CAVE --mask mask.mat --validation KAIST --run runs/first\n"
    "  snapcube train --resume runs/first\n"
    "  snapcube train --data CAVE --mask file:mask.mat,weight=2,flips=yes binary:low=0.3,high=0.7 --crop 128 \\\n"
    "      --batch 2 --steps 20000 --ema 0.999 --clip 1 --warmup 200 --run runs/many-masks\n"
    "  snapcube train --recipe quick --data CAVE --mask mask.mat --validation KAIST --run runs/overnight\n"
    "  snapcube train --init cst-s --data CAVE --mask my_mask.npy --noise none shot11 --run runs/mine   # ten minutes\n"
    "  snapcube train --describe cst-l\n"
    "  snapcube train --bench --crop 128 --threads 2\n"
    "  RANK=0 WORLD_SIZE=2 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 snapcube train --config run.toml --run runs/both\n"
    "\n"
    "Ctrl-C finishes the step, saves and ends; --resume goes on as if nothing had happened.\n"
    "docs/training.md tells what a run's folder holds.";

constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 32;
constexpr int kDescribedSize = 256;

void tell_transfer(const nets::Transfer& transfer, const std::string& file) {
  std::string text = fmt::format("{}: {} of {} tensors taken", file, transfer.taken.size(),
                                 transfer.taken.size() + transfer.missing.size() + transfer.misshaped.size());
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("\n  {}: {}", what, fmt::join(names, ", "));
  };
  list("not in the file, so fresh", transfer.missing);
  list("of another shape, so fresh", transfer.misshaped);
  list("in the file, not used", transfer.unused);
  log_info(text);
}

/// A remark about one file of many ("uint16 scaled to [0,1]") is made once.
class RemarksOnce {
 public:
  void operator()(LogLevel level, std::string_view message) {
    const auto at = message.find(": ");
    const std::string remark(at == std::string_view::npos ? message : message.substr(at));
    if (level == LogLevel::info && at != std::string_view::npos && !made_.insert(remark).second) return;
    log_to_terminal(level, message);
  }

 private:
  std::set<std::string> made_;
};

struct Train {
  ConfigOptions options;
  std::string run_path;
  std::string resume_path;
  std::string describe;
  bool bench = false;
  bool json = false;
  bool quiet = false;

  void run();

 private:
  TrainConfig new_config(std::optional<Weights>& initial) const;
  TrainConfig bench_config() const;
  static Weights initial_weights(const TrainConfig& config);
  TrainConfig resumed_config(const std::string& file) const;
  void print_description() const;
  void print_outcome(const RunOutcome& outcome, const std::string& path) const;
};

/// The given options over --config or the recipe; with --init and without --config, over that file's model and, if none
/// is named, the recipe for such runs.
TrainConfig Train::new_config(std::optional<Weights>& initial) const {
  TrainConfig config = options.config();
  if (!config.init.empty()) {
    initial = initial_weights(config);
    config = options.config("fine-tune", initial->config);
  }
  return config;
}

/// Batches of one, as steps are compared, where nothing says otherwise.
TrainConfig Train::bench_config() const {
  TrainConfig config = options.config();
  if (options.file().empty() && options.recipe().empty() && !options.has("--batch")) config.batch = 1;
  return config;
}

/// Of config.init: a file of any kind that holds weights, or the name of an installed model.
Weights Train::initial_weights(const TrainConfig& config) {
  std::vector<std::string> tried;
  const std::string file = find_model(config.init, tried).value_or(config.init);
  WeightsRequest request;
  request.max_bytes = kMaxWeights;
  request.seed = config.seed;
  return read_any_weights(file, request).weights;
}

TrainConfig Train::resumed_config(const std::string& file) const {
  const TrainConfig before = read_config(file);
  TrainConfig config = before;
  options.apply_to(config);
  if (config.model != before.model) {
    throw InputError(file, "model", "the network the run was started with",
                     "another one (--init starts a new run from this one's weights)");
  }
  if (config != before) {
    log_warning(fmt::format("{} changes the run: its result will differ from that of the original settings",
                            fmt::join(options.given(), " ")));
  }
  return config;
}

void Train::print_description() const {
  TrainConfig config = options.config();
  if (std::filesystem::exists(describe)) {
    config.model = read_weights(describe, kMaxWeights).config;
  } else {
    config.model = network_config(describe);
  }
  options.apply_to(config);
  check(config.model);
  const FrameSize size = usable_size(config.model, kDescribedSize, kDescribedSize);
  fmt::print("{}", json ? describe_json(config.model, size.height, size.width)
                        : describe_text(config.model, size.height, size.width));
}

void Train::print_outcome(const RunOutcome& outcome, const std::string& path) const {
  if (json) {
    const nlohmann::ordered_json result = {{"run", path},
                                           {"step", outcome.step},
                                           {"stopped", outcome.stopped},
                                           {"checkpoint", outcome.checkpoint},
                                           {"best_psnr", outcome.best_psnr},
                                           {"seconds_per_step", outcome.seconds_per_step},
                                           {"waiting", outcome.waiting},
                                           {"peak_memory_mb", static_cast<double>(peak_resident_bytes()) / 1e6}};
    fmt::print("{}\n", result.dump());
    return;
  }
  std::string text =
      fmt::format("{} at step {}: {}/last.safetensors", outcome.stopped ? "stopped" : "finished", outcome.step, path);
  if (outcome.best_psnr > 0) text += fmt::format(", best validation {:.2f} dB", outcome.best_psnr);
  text += fmt::format("; {:.3g} s a step, {:.1f} % of it waiting for data, {:.0f} MB at most", outcome.seconds_per_step,
                      100 * outcome.waiting, static_cast<double>(peak_resident_bytes()) / 1e6);
  if (outcome.stopped) text += fmt::format("\n`snapcube train --resume {}` goes on", path);
  log_info(text);
}

void Train::run() {
  set_quiet(quiet);
  set_log_sink(RemarksOnce());
  if (!describe.empty()) return print_description();
  if (bench) {
    const TrainConfig config = bench_config();
    check(config.model);
    validate_crop(config);
    use_threads(config.threads);
    return bench_step(config, json);
  }
  if (run_path.empty() == resume_path.empty()) {
    throw InputError("either --run FOLDER, for a new run, or --resume FOLDER is needed");
  }
  const bool resumed = !resume_path.empty();
  if (resumed && !options.recipe().empty()) {
    throw InputError("--recipe", "", "a new run (--run); options change one that is resumed", options.recipe());
  }
  const std::string path = resumed ? resume_path : run_path;

  const std::unique_ptr<Ranks> ranks = join_ranks();
  // Rank 0 owns the folder; what the others need of it, they are sent.
  std::optional<RunFolder> folder;
  std::optional<Weights> initial;
  std::string text;
  bool from_start = false;
  if (ranks->is_first()) {
    if (resumed) {
      folder.emplace(RunFolder::open(path));
      const TrainConfig config = resumed_config(folder->config_file().string());
      validate(config, folder->config_file().string());
      write_config(config, folder->config_file().string());
      text = config_text(config);
      from_start = Checkpoints(folder->checkpoints(), config.keep_every).all().empty();
      if (from_start && !config.init.empty()) initial = initial_weights(config);
    } else {
      const TrainConfig config = new_config(initial);
      validate(config, options.file().empty() ? "options" : options.file());
      device_named(config.device);
      folder.emplace(RunFolder::create(path, config));
      text = config_text(config);
    }
  }
  const TrainConfig config = parse_config(ranks->broadcast(text), path + "/config.toml");
  use_threads(config.threads);
  const torch::Device device = device_named(config.device);

  nets::Transfer transfer;
  TrainState state = new_state(config, device, initial ? &*initial : nullptr, &transfer);
  if (initial) tell_transfer(transfer, config.init);
  if (from_start) {
    log_info("the run stopped before its first checkpoint: starting at the beginning");
  } else if (resumed && ranks->is_first()) {
    const auto from = Checkpoints(folder->checkpoints(), config.keep_every).load_newest(state);
    log_info(fmt::format("going on after step {} ({})", state.step, from.string()));
  }
  if (ranks->size() > 1) {
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : state.tensors()) tensors.push_back(tensor);
    ranks->broadcast(tensors);
    const auto numbers = nlohmann::json::parse(ranks->broadcast(nlohmann::json{state.step, state.batch}.dump()));
    state.step = numbers.at(0);
    state.batch = numbers.at(1);
    state.tell_adam_the_step();
  }
  const RunOutcome outcome =
      run_training(config, state, folder ? &*folder : nullptr, path, *ranks, device, [] { return interrupted(); });
  if (ranks->is_first()) print_outcome(outcome, path);
}

/// `reconstruct` is the command of snapcube; here it has the networks of libtorch, too.
void lend_networks() {
  set_torch_bridge({.open_model =
                        [](Weights weights) {
                          use_threads(omp_get_max_threads());
                          return network_method(std::move(weights));
                        },
                    .open_method =
                        [](std::string_view) {
                          use_threads(omp_get_max_threads());
                          return make_deep_prior();
                        }});
}

}  // namespace

int run_training_program(int argc, char** argv) {
  set_up_libraries(argv);
  keep_freed_memory();
  set_arguments(argc, argv);
  CLI::App program("Trains networks that turn a snapshot into a cube, on any folder of scenes and any mask.",
                   "snapcube train");
  program.formatter(std::make_shared<HelpFormatter>());
  auto command = std::make_shared<Train>();
  program.add_option("--run", command->run_path, "folder of a new run");
  program.add_option("--resume", command->resume_path, "folder of a run to go on with");
  program.add_option("--describe", command->describe,
                     "print layers, parameters and cost of a variant or a weights file, and end");
  program.add_flag(
      "--bench", command->bench,
      "time the step (--model, --crop, --batch [1], --threads) on the kernels and on libtorch's layers, and end");
  program.add_flag("--json", command->json, "the result, or the description, as JSON");
  program.add_flag("--quiet", command->quiet, "only warnings and errors");
  command->options.add_to(program);
  add_bench_reference(program);
  add_reconstruct(program);
  add_watch(program);
  program.require_subcommand(0, 1);
  program.callback([&] {
    if (program.get_subcommands().empty()) command->run();
  });
  program.footer(kExamples);
  lend_networks();
  return exit_code_of(program, [&] {
    program.parse(argc, argv);
    return exit_code();
  });
}

}  // namespace snapcube
