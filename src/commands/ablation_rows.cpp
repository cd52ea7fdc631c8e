#include "commands/ablation_rows.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/atomic_file.h"
#include "commands/run_self.h"
#include "models/weights.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 30;

ordered_json read_json(const std::string& path) {
  std::ifstream stream(path);
  return ordered_json::parse(stream, nullptr, false);
}

void write_json(const ordered_json& json, const std::string& path) { write_text(path, json.dump(2) + "\n"); }

/// What the lines of a run's log add up to; the scores are those of the last validation.
RowResult from_log(const std::string& path) {
  RowResult result;
  std::ifstream stream(path);
  for (std::string text; std::getline(stream, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step")) continue;
    if (line.contains("started")) result.threads = line["started"].value("threads", 0);
    if (line.contains("seconds_per_step")) {
      const std::int64_t step = line["step"];
      result.seconds += line["seconds_per_step"].get<double>() * static_cast<double>(step - result.steps);
      result.steps = step;
    }
    if (line.contains("validation")) {
      result.scenes.clear();
      for (const auto& scene : line["validation"]["scenes"]) {
        result.scenes.push_back({scene["name"], scene["psnr"], scene["ssim"]});
      }
    }
  }
  return result;
}

}  // namespace

AblationRows::AblationRows(std::string folder, std::vector<std::string> options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  fs::create_directories(fs::path(folder_) / "rows");
  const std::string file = (fs::path(folder_) / "options.json").string();
  if (!fs::exists(file)) {
    write_json(options_, file);
  } else if (const ordered_json before = read_json(file); before != ordered_json(options_)) {
    throw InputError(folder_, "options", "those that its rows are trained with, " + before.dump(),
                     ordered_json(options_).dump() + " (another folder starts anew)");
  }
}

std::string AblationRows::run_folder(const AblationRow& row) const {
  return (fs::path(folder_) / "rows" / row.name).string();
}
std::string AblationRows::result_file(const AblationRow& row) const { return run_folder(row) + ".json"; }

void AblationRows::train(const AblationRow& row, bool quiet) const {
  if (result(row)) return log_info(fmt::format("{}: already done", row.title));
  const std::string run = run_folder(row);
  std::vector<std::string> call = {"train", "--json"};
  if (quiet) call.emplace_back("--quiet");
  if (fs::exists(fs::path(run) / "config.toml")) {
    log_info(fmt::format("{}: goes on", row.title));
    call.insert(call.end(), {"--resume", run});
  } else {
    log_info(fmt::format("{} …", row.title));
    call.insert(call.end(), {"--run", run});
    for (const auto& more : {train_options(row.config), options_}) call.insert(call.end(), more.begin(), more.end());
  }
  const auto outcome = nlohmann::json::parse(run_self(call), nullptr, false);
  if (!outcome.is_object()) throw Error("`snapcube train` ended without a result");
  if (outcome.value("stopped", true)) throw Interrupted();
  note_result(row);
}

void AblationRows::note_result(const AblationRow& row) const {
  const fs::path run = run_folder(row);
  const RowResult found = from_log((run / "log.jsonl").string());
  if (found.scenes.empty()) throw Error(fmt::format("{}: there is no validation in its log", run.string()));
  ordered_json scenes = ordered_json::array();
  for (const RowScene& s : found.scenes) scenes.push_back({{"name", s.name}, {"psnr", s.psnr}, {"ssim", s.ssim}});
  write_json({{"model", to_json(read_weights((run / "last.safetensors").string(), kMostWeights).config)},
              {"steps", found.steps},
              {"seconds", found.seconds},
              {"threads", found.threads},
              {"scenes", scenes}},
             result_file(row));
}

std::optional<RowResult> AblationRows::result(const AblationRow& row) const {
  const std::string file = result_file(row);
  if (!fs::exists(file)) return std::nullopt;
  try {
    const ordered_json json = read_json(file);
    RowResult result;
    result.config = model_config_from_json(json.at("model"), file);
    result.steps = json.at("steps");
    result.seconds = json.at("seconds");
    result.threads = json.at("threads");
    for (const auto& scene : json.at("scenes")) {
      result.scenes.push_back({scene.at("name"), scene.at("psnr"), scene.at("ssim")});
    }
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(file, "", "a row's result, as `snapcube ablate` writes it", error.what());
  }
}

}  // namespace snapcube
