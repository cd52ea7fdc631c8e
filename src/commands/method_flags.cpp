#include "commands/method_flags.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "commands/external.h"
#include "methods/choose_method.h"
#include "methods/torch_bridge.h"

namespace snapcube {

namespace {

/// The method that needs no model.
constexpr const char* kFallback = "gap-tv";

Reconstructor::Settings parse_settings(const std::vector<std::string>& texts) {
  Reconstructor::Settings settings;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--set", "", "NAME=VALUE", fmt::format("'{}'", text));
    }
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

}  // namespace

CLI::Option* MethodFlags::add_to(CLI::App& command) {
  CLI::Option* method =
      command.add_option("--method", method_, "one of the methods below (default: the installed model)");
  const char* group = "Model";
  CLI::Option* model =
      command.add_option("--model", model_, "a trained network: a weights file, or a model's name (default: cst-s)")
          ->group(group);
  model->excludes(method);
  command
      .add_option("--passes", passes_,
                  "runs of the network, each on what the last could not explain: a number, or auto: as long as that "
                  "helps (default: the model's)")
      ->excludes(method)
      ->group(group);
  command
      .add_option("--refine", refine_,
                  "what a solver adds to the network's cube: gap-tv or none (default: the model's)")
      ->check(CLI::IsMember({"gap-tv", "none"}))
      ->excludes(method)
      ->group(group);
  command
      .add_option("--scale", scale_,
                  "units of the measurement: auto (any), sum (over bands of values 0 … 1), or max (the cube becomes "
                  "0 … 1) (default: auto, or the model's)")
      ->check(CLI::IsMember({"auto", "sum", "max"}))
      ->excludes(method)
      ->group(group);
  command.add_option("--sigma", sigma_, "share of windows that the attention skips, 0 … 1 (default: the model's)")
      ->excludes(method)
      ->group(group);
  command.add_option("--set", settings_, "NAME=VALUE: a parameter of the method; may be repeated")
      ->take_all()
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--iterations", iterations_, "the same as --set iterations=N");
  return method;
}

Reconstructor MethodFlags::open(const CameraFlags& camera, const std::string& mask, const ReadFlags& read,
                                const Counts& counts) const {
  try {
    return open_here(camera, mask, read, counts);
  } catch (const NeedsLibtorch& error) {
    log_info(fmt::format("{} needs libtorch: snapcube-train takes over", error.title()));
    hand_over_to_training(error.title());
  }
}

Reconstructor MethodFlags::open_here(const CameraFlags& camera, const std::string& mask, const ReadFlags& read,
                                     const Counts& counts) const {
  auto chosen = parse_settings(settings_);
  if (iterations_) chosen["iterations"] = std::to_string(*iterations_);
  if (!scale_.empty()) chosen["scale"] = scale_;
  if (!passes_.empty()) chosen["passes"] = passes_;
  if (!refine_.empty()) chosen["refine"] = refine_;
  if (sigma_) chosen["sparsity"] = fmt::format("{}", *sigma_);
  const bool network = method_.empty() ? !iterations_ : is_model(method_);
  if (network && read.max_memory_given()) chosen["max_memory"] = read.max_memory_setting();
  if (network && !chosen.contains("scale") && counts()) {
    auto scaled = chosen;
    scaled["scale"] = "max";
    try {
      return open_with(scaled, camera, mask, read);
    } catch (const InputError&) {
      // A network that finds its own units has no such parameter; what else is wrong, the next line says.
    }
  }
  return open_with(chosen, camera, mask, read);
}

Reconstructor MethodFlags::open_with(const Reconstructor::Settings& chosen, const CameraFlags& camera,
                                     const std::string& mask, const ReadFlags& read) const {
  if (!method_.empty()) return Reconstructor::open(method_, chosen);
  if (iterations_) return Reconstructor::open(kFallback, chosen);
  return model_.empty() ? open_default(chosen, camera, mask, read) : Reconstructor::open_model(model_, chosen);
}

Reconstructor MethodFlags::open_default(const Reconstructor::Settings& chosen, const CameraFlags& camera,
                                        const std::string& mask, const ReadFlags& read) const {
  std::string why = "no model is installed";
  for (const std::string& name : default_models()) {
    Reconstructor reconstructor = Reconstructor::open_model(name, chosen);
    const CameraOptions trained = reconstructor.camera_defaults();
    if (reconstructor.fits(camera.device(mask, read.options(), trained))) return reconstructor;
    why =
        fmt::format("{} was trained for {} bands {} pixels apart along the columns", name, trained.bands, trained.step);
  }
  Reconstructor::Settings known = chosen;
  known.erase("max_memory");
  if (scale_.empty()) known.erase("scale");
  log_info(fmt::format("using {}, because {}", kFallback, why));
  return Reconstructor::open(kFallback, known);
}

std::string methods_text() {
  std::string text = "\nMethods and what --set can change:\n";
  for (const MethodInfo& m : methods()) {
    text += fmt::format("  {}: {}\n", m.name, m.description);
    for (const MethodParameter& p : m.parameters) {
      text += fmt::format("    {:<20} {} [{}]\n", p.name, p.description, p.default_value);
    }
  }
  return text;
}

}  // namespace snapcube
