#include "train/run.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/process.h"
#include "base/terminal.h"
#include "samples/config_file.h"
#include "samples/curve.h"
#include "samples/events.h"
#include "samples/progress.h"
#include "samples/samples.h"
#include "train/checkpoints.h"
#include "train/optimizer.h"
#include "train/step.h"
#include "train/validation.h"

namespace snapcube {

namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

/// Threads that make samples beside the step: one sample takes a fiftieth of the time that the step spends on it.
constexpr int kLoaders = 1;
/// Early pictures, from before the first validation.
constexpr std::int64_t kEarlyPreviews[] = {1, 10, 100, 1000};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Means of what is logged, over the steps since the last line.
class LogMeans {
 public:
  void add(const StepResult& step, double seconds) {
    ++count_;
    sum_.loss += step.loss;
    sum_.psnr += step.psnr;
    sum_.gradient_norm += step.gradient_norm;
    sum_.waiting += step.waiting;
    seconds_ += seconds;
  }
  bool empty() const { return count_ == 0; }
  double loss() const { return sum_.loss / count_; }
  double psnr() const { return sum_.psnr / count_; }
  double gradient_norm() const { return sum_.gradient_norm / count_; }
  double seconds() const { return seconds_ / count_; }
  double waiting() const { return seconds_ > 0 ? sum_.waiting / seconds_ : 0; }

 private:
  int count_ = 0;
  StepResult sum_;
  double seconds_ = 0;
};

/// What rank 0 does beside training: writes, validates, shows.
class Record {
 public:
  Record(const TrainConfig& config, TrainState& state, RunFolder& folder, const torch::Device& device, int ranks)
      : config_(config),
        state_(state),
        folder_(folder),
        device_(device),
        validation_(config),
        checkpoints_(folder.checkpoints(), config.keep_every),
        events_(folder.path(), state.step > 0 ? std::optional(state.step + 1) : std::nullopt),
        meter_(state.step, config.steps, config.batch * config.accumulate * ranks) {
    folder_.rewind_log(state.step);
    // A resumed run may have other settings; config.toml has only the last ones.
    folder_.log({{"step", state.step},
                 {"started",
                  {{"ranks", ranks},
                   {"threads", torch::get_num_threads()},
                   {"device", device.str()},
                   {"settings", changed_settings(config)}}}});
    if (state.best_psnr > 0) meter_.set_psnr(state.best_psnr);
  }

  void after_step(const StepResult& step, double seconds) {
    means_.add(step, seconds);
    meter_.add_step(step.loss, seconds, step.waiting);
    line_.show(meter_.state());
    const bool last = state_.step == config_.steps;
    if (is_due(config_.log_every) || last) log_means();
    if (last || (config_.validate_every > 0 && is_due(config_.validate_every))) {
      validate();
    } else if (std::ranges::find(kEarlyPreviews, state_.step) != std::end(kEarlyPreviews)) {
      preview();
    }
    if (is_due(config_.save_every) || last) save();
    if (last) write_curves(folder_.log_file(), folder_.path());
  }

  void save() {
    if (saved_ == state_.step) return;
    checkpoints_.save(state_);
    write_weights(nets::weights_of(*state_.result()), (folder_.path() / "last.safetensors").string());
    saved_ = state_.step;
  }

 private:
  bool is_due(std::int64_t every) const { return every > 0 && state_.step % every == 0; }

  void log_means() {
    if (means_.empty()) return;
    const double rate = learning_rate(config_, state_.step - 1);
    folder_.log({{"step", state_.step},
                 {"loss", means_.loss()},
                 {"psnr", means_.psnr()},
                 {"learning_rate", rate},
                 {"gradient_norm", means_.gradient_norm()},
                 {"seconds_per_step", means_.seconds()},
                 {"samples_per_second", meter_.state().samples_per_second},
                 {"waiting", means_.waiting()},
                 {"peak_memory_mb", static_cast<double>(peak_resident_bytes()) / 1e6}});
    events_.scalars(state_.step, {{"train/loss", static_cast<float>(means_.loss())},
                                  {"train/psnr", static_cast<float>(means_.psnr())},
                                  {"train/learning_rate", static_cast<float>(rate)},
                                  {"train/gradient_norm", static_cast<float>(means_.gradient_norm())},
                                  {"speed/seconds_per_step", static_cast<float>(means_.seconds())},
                                  {"speed/waiting", static_cast<float>(means_.waiting())}});
    means_ = {};
  }

  void validate() {
    if (validation_.empty()) return;
    const auto start = Clock::now();
    const ValidationResult result = validation_.run(state_.result(), device_);
    ordered_json scenes = ordered_json::array();
    for (const auto& scene : result.scenes) {
      scenes.push_back({{"name", scene.name}, {"psnr", scene.psnr}, {"ssim", scene.ssim}});
    }
    folder_.log({{"step", state_.step},
                 {"validation",
                  {{"psnr", result.psnr},
                   {"ssim", result.ssim},
                   {"seconds", seconds_since(start)},
                   {"scenes", std::move(scenes)}}}});
    events_.scalars(state_.step, {{"validation/psnr", static_cast<float>(result.psnr)},
                                  {"validation/ssim", static_cast<float>(result.ssim)}});
    meter_.set_psnr(result.psnr);
    preview();
    write_curves(folder_.log_file(), folder_.path());
    if (result.psnr > state_.best_psnr) {
      state_.best_psnr = result.psnr;
      write_weights(nets::weights_of(*state_.result()), (folder_.path() / "best.safetensors").string());
    }
  }

  void preview() {
    if (validation_.empty()) return;
    const auto path = folder_.previews() / fmt::format("step-{:08}.png", state_.step);
    validation_.write_preview(state_.result(), device_, path.string());
  }

  const TrainConfig& config_;
  TrainState& state_;
  RunFolder& folder_;
  const torch::Device& device_;
  Validation validation_;
  Checkpoints checkpoints_;
  EventWriter events_;
  TrainingMeter meter_;
  TrainingLine line_;
  LogMeans means_;
  std::int64_t saved_ = -1;
};

[[noreturn]] void ranks_are_gone(const Ranks& ranks, std::int64_t step, const char* reason) {
  std::string text = reason;
  text = text.substr(0, text.find('\n'));
  throw Error(
      fmt::format("rank {} of {}, after step {}: lost the others; one of them has stopped, or the network between "
                  "them ({}). Start all of them again with --resume; their number may change",
                  ranks.rank(), ranks.size(), step, text.substr(0, 200)));
}

}  // namespace

RunOutcome run_training(const TrainConfig& config, TrainState& state, RunFolder* folder, const std::string& path,
                        Ranks& ranks, const torch::Device& device, const std::function<bool()>& stop) {
  RunOutcome outcome;
  const Checkpoints checkpoints(std::filesystem::path(path) / "checkpoints", config.keep_every);
  std::optional<Record> record;
  try {
    if (folder) record.emplace(config, state, *folder, device, ranks.size());
    const auto scenes = open_scenes(config, path);
    BatchLoader loader(config, *scenes, state.batch + ranks.rank(), ranks.size(), kLoaders);
    ranks.watch(state.network->parameters());
    double seconds_spent = 0;
    double waiting = 0;
    std::int64_t steps = 0;
    while (state.step < config.steps) {
      if (ranks.largest(stop() ? 1 : 0) > 0) {
        outcome.stopped = true;
        break;
      }
      const auto start = Clock::now();
      const StepResult step = train_step(config, state, loader, ranks, device);
      const double seconds = seconds_since(start);
      seconds_spent += seconds;
      waiting += step.waiting;
      ++steps;
      if (record) record->after_step(step, seconds);
    }
    if (record) record->save();
    if (steps > 0) outcome.seconds_per_step = seconds_spent / static_cast<double>(steps);
    if (seconds_spent > 0) outcome.waiting = waiting / seconds_spent;
  } catch (const Diverged& error) {
    const std::string last = checkpoints.newest();
    throw Error(fmt::format("{}. {}", error.what(),
                            last.empty() ? "There is no checkpoint yet" : "The last good checkpoint: " + last));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    if (ranks.size() == 1) throw;
    ranks_are_gone(ranks, state.step, error.what());
  }
  outcome.step = state.step;
  outcome.best_psnr = state.best_psnr;
  outcome.checkpoint = checkpoints.newest();
  return outcome;
}

}  // namespace snapcube
