#include "commands/live_preview.h"

#include <fmt/format.h>
#include <utility>

#include "base/terminal.h"

namespace snapcube {

LivePreview::LivePreview(std::string path, std::string title, PreviewOptions options,
                         std::chrono::milliseconds interval)
    : path_(std::move(path)), title_(std::move(title)), options_(std::move(options)), interval_(interval) {}

void LivePreview::update(const Progress& progress) {
  if (path_.empty() || !progress.estimate || Clock::now() - last_ < interval_) return;
  write(*progress.estimate, fmt::format("iteration {} of {}", progress.iteration, progress.total));
  last_ = Clock::now();
}

void LivePreview::finish(const Cube& cube, double seconds, double misfit, const Image* expected_error) {
  options_.misfit = misfit;
  options_.expected_error = expected_error;
  if (!path_.empty()) write(cube, duration_text(seconds));
}

void LivePreview::write(const Cube& cube, const std::string& state) {
  options_.title = fmt::format("{} · {}", title_, state);
  write_png(render_preview(cube, options_), path_);
}

}  // namespace snapcube
