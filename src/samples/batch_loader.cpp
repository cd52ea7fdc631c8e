#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <omp.h>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "samples/sample_maker.h"

namespace snapcube {

class BatchLoader::Implementation {
 public:
  Implementation(const TrainConfig& config, const SceneStore& scenes, std::int64_t first, std::int64_t stride,
                 int threads)
      : maker_(config, scenes), first_(first), stride_(stride), ahead_(std::max(kLeastAhead, threads + 1)) {
    for (int i = 0; i < std::max(1, threads); ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }

  ~Implementation() {
    // All at once; each destructor then only waits for the sample in the making.
    for (std::jthread& thread : threads_) thread.request_stop();
  }

  std::unique_ptr<Batch> next() {
    std::unique_lock lock(mutex_);
    made_changed_.wait(lock, [&] { return made_.contains(taken_); });
    Made& made = made_.at(taken_);
    if (made.error) std::rethrow_exception(made.error);
    std::unique_ptr<Batch> batch = std::move(made.batch);
    made_.erase(taken_++);
    lock.unlock();
    taken_changed_.notify_one();
    return batch;
  }

  void give_back(std::unique_ptr<Batch> batch) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() < static_cast<std::size_t>(ahead_)) spare_.push_back(std::move(batch));
  }

 private:
  /// Batches that are made or being made.
  static constexpr int kLeastAhead = 4;

  struct Made {
    std::unique_ptr<Batch> batch;
    std::exception_ptr error;
  };

  void work(const std::stop_token& stop) {
    omp_set_num_threads(1);  // of this thread only: the others belong to the training step
    SampleMaker::Workspace workspace = maker_.workspace();
    while (true) {
      std::unique_lock lock(mutex_);
      taken_changed_.wait(lock, stop, [&] { return started_ < taken_ + ahead_; });
      if (stop.stop_requested()) return;
      const std::int64_t number = started_++;
      Made made;
      if (!spare_.empty()) {
        made.batch = std::move(spare_.back());
        spare_.pop_back();
      }
      lock.unlock();
      try {
        if (!made.batch) made.batch = std::make_unique<Batch>();
        maker_.make(first_ + number * stride_, *made.batch, workspace, stop);
      } catch (...) {
        made.error = std::current_exception();
      }
      lock.lock();
      made_[number] = std::move(made);
      lock.unlock();
      made_changed_.notify_one();
    }
  }

  const SampleMaker maker_;
  const std::int64_t first_;
  const std::int64_t stride_;
  const int ahead_;

  std::mutex mutex_;
  std::condition_variable_any taken_changed_;
  std::condition_variable made_changed_;
  std::int64_t started_ = 0;  ///< batches given to a thread, counted from first_ in steps of stride_
  std::int64_t taken_ = 0;    ///< batches given to the caller
  std::map<std::int64_t, Made> made_;
  std::vector<std::unique_ptr<Batch>> spare_;

  std::vector<std::jthread> threads_;  // last: they end before what they use
};

BatchLoader::BatchLoader(const TrainConfig& config, const SceneStore& scenes, std::int64_t first_batch,
                         std::int64_t stride, int threads)
    : implementation_(std::make_unique<Implementation>(config, scenes, first_batch, stride, threads)) {}

BatchLoader::~BatchLoader() = default;

std::unique_ptr<Batch> BatchLoader::next() { return implementation_->next(); }
void BatchLoader::give_back(std::unique_ptr<Batch> batch) { implementation_->give_back(std::move(batch)); }

}  // namespace snapcube
