#include "commands/frame_run.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <omp.h>
#include <utility>

#include <snapcube/snapcube.h>

#include "base/overlap.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/interrupt.h"
#include "commands/live_preview.h"
#include "io/collection.h"

namespace snapcube {

namespace {

/// A frame on its way. Used again for another one.
struct Passage {
  PreparedFrame frame;
  Cube cube;
  std::optional<Picture> sparsity_map;
  Image expected_error;  ///< empty: the method has none
  std::unique_ptr<LivePreview> preview;
  FrameOutcome outcome;
};

/// One to be read, one to be computed, one to be written. Of large cubes there are two: writing one takes so much less
/// than computing that the next is read in time all the same.
std::size_t passages(std::size_t jobs, const Camera& camera) {
  constexpr double kLarge = 256e6;
  const double bytes = 4.0 * camera.bands() * camera.height() * camera.width();
  return std::min<std::size_t>(jobs, bytes > kLarge ? 2 : 3);
}

double mean(const Image& image) {
  double sum = 0;
  for (const float v : image.values()) sum += v;
  return sum / static_cast<double>(image.size());
}

/// As an array in any format, or as a picture.
void write_expected_error(const Image& error, const std::string& path, WriteOptions options) {
  if (lower(path).ends_with(".png")) return write_png(render_expected_error(error), path);
  options.variable = "expected_error";
  write_measurement(error, path, options);
}

class FrameRun {
 public:
  FrameRun(const std::vector<FrameJob>& jobs, const FrameWork& work) : jobs_(jobs), work_(work), line_("") {}

  void read(std::size_t i, Passage& passage) {
    passage.outcome = {};
    attempt(passage, [&] {
      work_.frames.read_frame(jobs_[i].input, work_.detector, work_.read, passage.frame);
      work_.camera.check_measurement(passage.frame.values, jobs_[i].input);
      passage.outcome.saturated = passage.frame.saturated;
      passage.outcome.bad = passage.frame.bad;
    });
  }

  void compute(std::size_t i, Passage& passage) {
    stop_if_interrupted();
    attempt(passage, [&] { reconstruct(i, passage); });
  }

  void write(std::size_t i, Passage& passage) {
    if (!passage.outcome.error.empty()) return;
    const FrameJob& job = jobs_[i];
    try {
      if (passage.sparsity_map) write_png(*passage.sparsity_map, job.sparsity_map);
      if (!job.expected_error.empty()) write_expected_error(passage.expected_error, job.expected_error, work_.write);
      snapcube::write(passage.cube, job.output, work_.write);
    } catch (const InputError& error) {  // what this cube cannot be written as; a full disk goes on
      if (jobs_.size() == 1) throw;
      passage.outcome.error = error.what();
      return;
    }
    passage.preview->finish(passage.cube, passage.outcome.seconds, passage.outcome.misfit,
                            passage.expected_error.empty() ? nullptr : &passage.expected_error);
  }

 private:
  /// Errors of a frame are its own business, unless it is the only one.
  template <typename Step>
  void attempt(Passage& passage, Step&& step) const {
    if (!passage.outcome.error.empty()) return;
    try {
      step();
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (jobs_.size() == 1) throw;
      passage.outcome.error = error.what();
    } catch (const std::bad_alloc&) {
      if (jobs_.size() == 1) throw;
      passage.outcome.error = "not enough memory";
    }
  }

  /// What is saturated differs from frame to frame.
  const Camera& camera_for(const PreparedFrame& frame) {
    if (frame.weights.empty()) return work_.camera;
    if (!weighed_) weighed_.emplace(work_.camera);
    weighed_->set_weights(frame.weights);
    return *weighed_;
  }

  void reconstruct(std::size_t i, Passage& passage) {
    const FrameJob& job = jobs_[i];
    FrameOutcome& outcome = passage.outcome;
    const Image& measurement = passage.frame.values;
    const Camera& camera = camera_for(passage.frame);
    const Cube* truth = work_.truth ? &*work_.truth : nullptr;
    const std::string name = stem(job.input);
    line_.set_label(jobs_.size() > 1 ? fmt::format("[{}/{}] {}", i + 1, jobs_.size(), name) : name);
    passage.preview = std::make_unique<LivePreview>(job.preview, fmt::format("{} · {}", name, work_.method.method()),
                                                    work_.previews.options(measurement, truth));
    const auto start = std::chrono::steady_clock::now();
    work_.method.reconstruct(measurement, camera, passage.cube, [&](const Progress& p) {
      line_.update((static_cast<double>(i) + static_cast<double>(p.iteration) / p.total) /
                   static_cast<double>(jobs_.size()));
      passage.preview->update(p);
      return !interrupted();
    });
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    stop_if_interrupted();
    outcome.misfit = camera.misfit(passage.cube, measurement);
    if (const PassReport* told = work_.method.passes()) outcome.passes = *told;
    passage.expected_error = {};
    if (const Image* expected = work_.method.expected_error()) {
      outcome.expected_error = mean(*expected);
      passage.expected_error = *expected;
    } else if (!job.expected_error.empty()) {
      throw InputError("--expected-error", "", "a network that knows how far off it may be, such as prism-s",
                       work_.method.method());
    }
    if (work_.white) work_.white->apply(passage.cube);
    if (truth) outcome.psnr = psnr(passage.cube, *truth);
    passage.sparsity_map.reset();
    if (!job.sparsity_map.empty()) {
      const SparsityMap* map = work_.method.sparsity_map();
      if (!map) throw InputError("--sparsity-map", "", "a model with a sparsity estimator", work_.method.method());
      passage.sparsity_map = render_sparsity_map(*map);
    }
  }

  const std::vector<FrameJob>& jobs_;
  const FrameWork& work_;
  ProgressLine line_;
  std::optional<Camera> weighed_;
};

}  // namespace

void run_frames(const std::vector<FrameJob>& jobs, const FrameWork& work,
                const std::function<void(std::size_t job, FrameOutcome outcome)>& settled) {
  if (jobs.empty()) return;
  FrameRun run(jobs, work);
  std::vector<Passage> items(passages(jobs.size(), work.camera));
  // Threads beside the one that computes do not ask for a team of their own.
  const auto alone = [&](auto&& step) {
    if (jobs.size() > 1) omp_set_num_threads(1);
    step();
  };
  overlap(
      jobs.size(), std::span(items), [&](std::size_t i, Passage& passage) { alone([&] { run.read(i, passage); }); },
      [&](std::size_t i, Passage& passage) { run.compute(i, passage); },
      [&](std::size_t i, Passage& passage) {
        alone([&] { run.write(i, passage); });
        settled(i, std::move(passage.outcome));
      });
}

}  // namespace snapcube
