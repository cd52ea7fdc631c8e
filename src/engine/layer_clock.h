#pragma once
// What a run of a network tells while it goes on: how far it is, and where its time went.

#include <algorithm>
#include <functional>
#include <string>

#include "engine/profile.h"
#include "engine/workspace.h"

namespace snapcube::engine {

class LayerClock {
 public:
  /// Times of the next runs are added here; null: none are taken.
  void set_profile(Profile* profile) { profile_ = profile; }
  /// Called between layers with the share of the run that is done; may throw to stop it.
  void set_progress(std::function<void(double)> progress) { progress_ = std::move(progress); }

  /// That timed() is called for in a run.
  void set_layers(int layers) { layers_ = layers; }

  void start(Team& team) {
    for (int t = 0; t < team.threads(); ++t) team.workspace(t).times = {profile_ != nullptr, {}};
    done_ = 0;
  }
  /// f(), and its time to the profile under make_name().
  template <typename Name, typename F>
  void timed(const Name& make_name, const F& f) {
    if (!profile_) {  // and no name is made: that would allocate
      f();
      return report();
    }
    const std::string name = make_name();
    const auto start = KernelTimes::Clock::now();
    f();
    const double seconds = std::chrono::duration<double>(KernelTimes::Clock::now() - start).count();
    report();
    for (LayerTime& layer : profile_->layers) {
      if (layer.name == name) {
        layer.seconds += seconds;
        return;
      }
    }
    profile_->layers.push_back({name, seconds});
  }
  void finish(Team& team) {
    if (!profile_) return;
    for (int t = 0; t < team.threads(); ++t) {
      for (std::size_t k = 0; k < kKernels; ++k) profile_->kernels.seconds[k] += team.workspace(t).times.seconds[k];
    }
  }

 private:
  void report() {
    ++done_;
    if (progress_) progress_(std::min(1.0, static_cast<double>(done_) / layers_));
  }

  Profile* profile_ = nullptr;
  std::function<void(double)> progress_;
  int layers_ = 1;
  int done_ = 0;
};

}  // namespace snapcube::engine
