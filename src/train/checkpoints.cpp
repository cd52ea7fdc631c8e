#include "train/checkpoints.h"

#include <fmt/format.h>
#include <optional>
#include <ranges>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char* kExtension = ".safetensors";
constexpr std::size_t kLast = 2;

std::optional<std::int64_t> step_of(const fs::path& file) {
  const std::string name = file.stem().string();
  if (file.extension() != kExtension || !name.starts_with(kPrefix)) return std::nullopt;
  return parse_int(std::string_view(name).substr(kPrefix.size()));
}

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::int64_t keep_every)
    : folder_(std::move(folder)), keep_every_(keep_every) {}

std::map<std::int64_t, fs::path> Checkpoints::all() const {
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (const auto step = step_of(entry.path())) found[*step] = entry.path();
  }
  return found;
}

std::string Checkpoints::newest() const {
  const auto found = all();
  return found.empty() ? std::string() : found.rbegin()->second.string();
}

fs::path Checkpoints::save(const TrainState& state) {
  const fs::path path = folder_ / fmt::format("{}{:08}{}", kPrefix, state.step, kExtension);
  save_checkpoint(state, path.string());
  std::size_t newer = 0;
  for (const auto& [step, file] : std::views::reverse(all())) {
    if (step > state.step) continue;  // of a run that was taken back to an earlier step by hand
    const bool kept = newer++ < kLast || (keep_every_ > 0 && step % keep_every_ == 0);
    std::error_code ignored;
    if (!kept) fs::remove(file, ignored);
  }
  return path;
}

fs::path Checkpoints::load_newest(TrainState& state) const {
  for (const auto& [step, file] : std::views::reverse(all())) {
    try {
      load_checkpoint(state, file.string());
      return file;
    } catch (const InputError& error) {
      log_warning(fmt::format("{}; the checkpoint before it is taken", error.what()));
    }
  }
  throw InputError(folder_.string(), "", "a checkpoint that can be read (a run has one after its first save)", "none");
}

}  // namespace snapcube
