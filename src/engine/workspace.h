#pragma once
// Memory that a thread works in, and threads that share the rows of a map.

#include <atomic>
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

  /// f(first, last, workspace): the rows in slabs of at least `least` rows, large ones first, which threads take as
  /// they become free: a core that is slowed down from outside gets fewer. `least` keeps what a slab costs of itself
  /// small.
  template <typename F>
  void slabs(int rows, int least, const F& f) {
    if (threads_ == 1) return f(0, rows, workspace(0));
    std::atomic<int> next{0};
#pragma omp parallel num_threads(threads_)
    {
      Workspace& own = workspace(omp_get_thread_num());
      const int share = 2 * omp_get_num_threads();
      int first = next.load(std::memory_order_relaxed);
      while (first < rows) {
        const int left = rows - first;
        const int wanted = std::max(least, (left + share - 1) / share);
        const int last = left < wanted + least ? rows : first + wanted;
        if (next.compare_exchange_weak(first, last, std::memory_order_relaxed)) {
          f(first, last, own);
          first = next.load(std::memory_order_relaxed);
        }
      }
    }
  }
  /// f(row, workspace) for every row.
  template <typename F>
  void rows(int count, const F& f) {
    slabs(count, 2, [&](int first, int last, Workspace& own) {
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
