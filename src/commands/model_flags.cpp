#include "commands/model_flags.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <snapcube/log.h>

#include "base/text.h"

namespace snapcube {

void ModelFlags::add_to(CLI::App& command) {
  command.add_option("--seed", request_.seed, "of the hash vectors, where the file has none")
      ->capture_default_str()
      ->group(kModelGroup);
  // The words of the options, the configuration's keys, and what is taken where neither file nor option tells.
  const auto add = [&](const char* name, const char* key, const char* text) {
    return command
        .add_option_function<std::string>(
            name, [this, key](const std::string& value) { request_.settings[key] = value; }, text)
        ->group(kModelGroup);
  };
  add("--sigma", "sparsity", "share of windows that is screened out (published: 0.5)")->check(CLI::Number);
  add("--rounds", "rounds", "rounds of hashing (published: 2)")->check(CLI::PositiveNumber);
  add("--window", "window", "side of a window in pixels (published: 16)")->check(CLI::PositiveNumber);
  add("--bucket", "bucket", "tokens in a bucket (published: 64)")->check(CLI::PositiveNumber);
  add("--step", "step", "pixels from one band to the next on the detector (published: 2)")->check(CLI::Number);
  add("--scale", "scale", "what a measurement is: sum (of its bands) or max (arbitrary units) (published: sum)")
      ->check(CLI::IsMember({"sum", "max"}));
  add("--screening", "screening", "which windows attend: none, estimator, random, uniform")
      ->check(CLI::IsMember({"none", "estimator", "random", "uniform"}));
  add("--scope", "scope", "where similar tokens are looked for: local, global")
      ->check(CLI::IsMember({"local", "global"}));
  command
      .add_flag_callback(
          "--hash-floor", [this] { request_.settings["hash_floor"] = "true"; },
          "round hash codes down, as in the paper")
      ->group(kModelGroup);
  command
      .add_flag_callback(
          "--scale-logits", [this] { request_.settings["scale_logits"] = "true"; },
          "divide q·k by the root of its length, as in the paper")
      ->group(kModelGroup);
}

LoadedWeights ModelFlags::read(const std::string& path, std::uint64_t max_bytes) const {
  WeightsRequest request = request_;
  request.max_bytes = max_bytes;
  LoadedWeights loaded = read_any_weights(path, request);
  log_info(fmt::format("{}: {}", path, loaded.format));
  for (const std::string& note : loaded.notes) log_info("  " + note);
  return loaded;
}

}  // namespace snapcube
