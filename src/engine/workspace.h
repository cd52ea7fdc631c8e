#pragma once
// Memory that a thread works in, and threads that share the rows of a map.

#include <cassert>
#include <cstddef>
#include <omp.h>
#include <vector>

#include "engine/map.h"
#include "engine/profile.h"

namespace snapcube::engine {

/// One thread's scratch memory. A layer takes what it needs, piece by piece, and gives all back at the end of its
/// scope.
class Workspace {
 public:
  explicit Workspace(std::size_t floats) : memory_(floats) {}

  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), before_(workspace.used_) {}
    ~Scope() { workspace_.used_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    std::size_t before_;
  };

  /// Aligned to a cache line; not cleared.
  float* take(std::size_t floats) {
    float* start = memory_.data() + used_;
    used_ += rounded(floats);
    assert(used_ <= memory_.size());
    return start;
  }
  static std::size_t rounded(std::size_t floats) { return (floats + kLine - 1) / kLine * kLine; }
  std::size_t size() const { return memory_.size(); }

  KernelTimes times;

 private:
  Memory memory_;
  std::size_t used_ = 0;
};

/// Threads and their workspaces.
class Team {
 public:
  Team() = default;
  /// Makes room for `threads` threads with `floats` of scratch each, and for `shared` floats of all together.
  void prepare(int threads, std::size_t floats, std::size_t shared) {
    if (static_cast<int>(workspaces_.size()) < threads || workspaces_.front().size() < floats) {
      workspaces_.clear();
      for (int t = 0; t < threads; ++t) workspaces_.emplace_back(floats);
    }
    if (shared_.size() < shared) shared_ = Workspace(shared);
    threads_ = threads;
  }
  int threads() const { return threads_; }
  Workspace& workspace(int thread) { return workspaces_[static_cast<std::size_t>(thread)]; }
  /// Memory of all together; one thread works in it.
  Workspace& shared() { return shared_; }
  std::size_t bytes() const {
    std::size_t floats = shared_.size();
    for (const Workspace& w : workspaces_) floats += w.size();
    return floats * sizeof(float);
  }

  /// f(first, last, workspace): the rows in as many bands as there are threads. `grain`: bands start at multiples of
  /// it.
  template <typename F>
  void bands(int rows, int grain, const F& f) {
    const int grains = (rows + grain - 1) / grain;
#pragma omp parallel num_threads(threads_)
    {
      const int thread = omp_get_thread_num();
      const int count = omp_get_num_threads();
      const auto edge = [&](int t) {
        return std::min(rows, static_cast<int>(static_cast<long>(grains) * t / count) * grain);
      };
      if (edge(thread) < edge(thread + 1)) f(edge(thread), edge(thread + 1), workspace(thread));
    }
  }
  /// f(row, workspace) for every row.
  template <typename F>
  void rows(int count, const F& f) {
    bands(count, 1, [&](int first, int last, Workspace& own) {
      for (int y = first; y < last; ++y) f(y, own);
    });
  }
  /// f(i, workspace) in any order: for work that differs from item to item.
  template <typename F>
  void each(int count, const F& f) {
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (int i = 0; i < count; ++i) f(i, workspace(omp_get_thread_num()));
  }

 private:
  std::vector<Workspace> workspaces_;
  Workspace shared_{0};
  int threads_ = 1;
};

}  // namespace snapcube::engine
