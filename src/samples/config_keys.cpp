#include "samples/config_keys.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>

#include "base/text.h"
#include "models/networks.h"
#include "optics/wavelength_text.h"
#include "samples/sample_sources.h"

namespace snapcube {

using nlohmann::json;

std::string found_text(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 80 ? text : fmt::format("{}...", text.substr(0, 77));
}

bool is_plain_text(const std::string& text) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) return false;
  try {
    (void)json(text).dump();
    return true;
  } catch (const json::type_error&) {
    return false;  // not UTF-8
  }
}

namespace {

using Form = ConfigKey::Form;
using Texts = std::vector<std::string>;

std::string option_name(const std::string& key) {
  std::string option = "--" + key;
  std::ranges::replace(option, '_', '-');
  return option;
}

json number_from_text(const Texts& texts) {
  const std::string& text = texts.at(0);
  if (const auto whole = parse_int(text)) return *whole;
  if (const auto number = parse_double(text)) return *number;
  return text;
}
json flag_from_text(const Texts& texts) {
  const std::string& text = texts.at(0);
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  return text;
}
json text_from_text(const Texts& texts) { return texts.at(0); }
json list_from_text(const Texts& texts) { return texts; }

std::function<json(const Texts&)> from_text(Form form) {
  switch (form) {
    case Form::number:
      return number_from_text;
    case Form::flag:
      return flag_from_text;
    case Form::text:
      return text_from_text;
    default:
      return list_from_text;
  }
}

ConfigKey key(std::string section, std::string name, Form form, const Field<TrainConfig>& field, std::string help) {
  const auto set = [field](TrainConfig& config, const json& value) -> std::optional<BadValue> {
    if (field.set(config, value)) return std::nullopt;
    return BadValue{"", field.expected, found_text(value)};
  };
  std::string option = option_name(name);
  return {std::move(section), std::move(name), std::move(option), form, field.expected, std::move(help), field.get, set,
          from_text(form)};
}

/// A key of ModelConfig, read and written as in a weights file; `fits` is its range.
Field<TrainConfig> model(const std::string& name, std::string expected,
                         const std::function<bool(const ModelConfig&)>& fits) {
  return {std::move(expected), [name](const TrainConfig& c) { return json(to_json(c.model)[name]); },
          [name, fits](TrainConfig& c, const json& value) {
            ModelConfig changed = c.model;
            if (!assign(changed, name, value) || !fits(changed)) return false;
            c.model = changed;
            return true;
          }};
}
Field<TrainConfig> model(const std::string& name, int ModelConfig::*member, int least, int most) {
  return model(name, fmt::format("a whole number, {} … {}", least, most),
               [=](const ModelConfig& c) { return c.*member >= least && c.*member <= most; });
}
Field<TrainConfig> model_word(const std::string& name, const std::string& words) {
  return model(name, "one of " + words, [](const ModelConfig&) { return true; });
}
Field<TrainConfig> model_flag(const std::string& name) {
  return model(name, "true or false", [](const ModelConfig&) { return true; });
}

/// Of CST its form; of another network also how it is trained, which later keys may change.
Field<TrainConfig> variant() {
  return {fmt::format("one of {}", fmt::join(network_names(), ", ")),
          [](const TrainConfig& c) { return c.model.variant; },
          [](TrainConfig& c, const json& value) {
            const std::vector<std::string> names = network_names();
            if (!value.is_string() || std::ranges::count(names, value.get<std::string>()) == 0) return false;
            const ModelConfig named = network_config(value.get<std::string>());
            c.model.variant = named.variant;
            c.model.blocks = named.blocks;
            c.model.estimators = named.estimators;
            c.model.screening = named.screening;
            c.model.sparsity = named.sparsity;
            if (const NetworkInfo* network = find_network(named.variant)) {
              c.learning_rate = network->schedule.learning_rate;
              c.batch = network->schedule.batch;
              c.crop = network->schedule.crop;
            }
            return true;
          }};
}

/// Wavelengths of another number of bands cannot stay.
Field<TrainConfig> bands() {
  Field<TrainConfig> field = model("bands", &ModelConfig::bands, 1, 1024);
  field.set = [set = field.set](TrainConfig& c, const json& value) {
    if (!set(c, value)) return false;
    if (c.model.wavelengths.size() != static_cast<std::size_t>(c.model.bands)) c.model.wavelengths.clear();
    return true;
  };
  return field;
}

Field<TrainConfig> device() {
  Field<TrainConfig> field = text(&TrainConfig::device);
  field.expected = "cpu, cuda or cuda:N";
  field.set = [set = field.set](TrainConfig& c, const json& value) {
    constexpr std::string_view kNumbered = "cuda:";
    if (value != "cpu" && value != "cuda") {
      if (!value.is_string() || !value.get<std::string>().starts_with(kNumbered)) return false;
      const auto number = parse_int(value.get<std::string>().substr(kNumbered.size()));
      if (!number || *number < 0 || *number > 255) return false;
    }
    return set(c, value);
  };
  return field;
}

Field<TrainConfig> optimizer() {
  return {"adam or muon", [](const TrainConfig& c) { return json(c.optimizer == Optimizer::muon ? "muon" : "adam"); },
          [](TrainConfig& c, const json& value) {
            if (value != "adam" && value != "muon") return false;
            c.optimizer = value == "muon" ? Optimizer::muon : Optimizer::adam;
            return true;
          }};
}

/// Bytes: a number, or a text such as "4 GiB".
Field<TrainConfig> memory_limit() {
  static const std::vector<std::pair<std::string, std::uint64_t>> units = {
      {"GiB", std::uint64_t{1} << 30}, {"MiB", std::uint64_t{1} << 20}, {"KiB", std::uint64_t{1} << 10}};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  return {"bytes, or a text such as \"4 GiB\" (KiB, MiB, GiB)",
          [](const TrainConfig& c) {
            for (const auto& [name, size] : units) {
              if (c.memory_limit > 0 && c.memory_limit % size == 0) {
                return json(fmt::format("{} {}", c.memory_limit / size, name));
              }
            }
            return json(c.memory_limit);
          },
          [](TrainConfig& c, const json& value) {
            std::string digits = value.is_string() ? value.get<std::string>() : value.dump();
            std::uint64_t unit = 1;
            for (const auto& [name, size] : units) {
              if (!digits.ends_with(name)) continue;
              unit = size;
              digits = trim(digits.substr(0, digits.size() - name.size()));
            }
            const auto count = parse_int(digits);
            if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > kMost / unit) return false;
            c.memory_limit = static_cast<std::uint64_t>(*count) * unit;
            return true;
          }};
}

std::vector<ConfigKey> model_keys() {
  const auto add = [](const char* name, Form form, const Field<TrainConfig>& field, const char* help) {
    return key("model", name, form, field, help);
  };
  const auto any_wavelengths = [](const ModelConfig& c) {
    return std::ranges::all_of(c.wavelengths, [](double w) { return std::isfinite(w) && w > 0; });
  };
  std::vector<ConfigKey> keys = {
      add("variant", Form::text, variant(), "sets blocks, estimators, screening and sparsity"),
      add("bands", Form::number, bands(), "bands of the cube"),
      add("blocks", Form::text,
          model("blocks", "three whole numbers, 1 … 64",
                [](const ModelConfig& c) {
                  return std::ranges::all_of(c.blocks, [](int n) { return n >= 1 && n <= 64; });
                }),
          "attention blocks at full, half and quarter resolution"),
      add("estimators", Form::number, model("estimators", &ModelConfig::estimators, 0, 2),
          "sparsity estimators in sequence"),
      add("screening", Form::text, model_word("screening", "none, estimator, random, uniform"),
          "how the windows are chosen that attention works on"),
      add("sparsity", Form::number,
          model("sparsity", "a number of at least 0 and below 1",
                [](const ModelConfig& c) { return c.sparsity >= 0 && c.sparsity < 1; }),
          "σ: the share of windows that is left out"),
      add("window", Form::number, model("window", &ModelConfig::window, 2, 256), "M: side of a window in pixels, even"),
      add("bucket", Form::number, model("bucket", &ModelConfig::bucket, 1, 65536),
          "m: tokens that attend to each other; divides the window's"),
      add("rounds", Form::number, model("rounds", &ModelConfig::rounds, 1, 64), "R: rounds of hashing"),
      add("loss_weight", Form::number,
          model("loss_weight", "a number of at least 0",
                [](const ModelConfig& c) { return std::isfinite(c.loss_weight) && c.loss_weight >= 0; }),
          "λ: weight of the error map in the loss"),
      add("attention", Form::text, model_word("attention", "none, sah, global, window, shifted, spectral"),
          "which tokens attend to which; none is the paper's baseline"),
      add("scope", Form::text, model_word("scope", "local, global"),
          "similar tokens are looked for in their window, or in all"),
      add("hash_floor", Form::flag, model_flag("hash_floor"), "floor the hash code, as in the paper's text"),
      add("scale_logits", Form::flag, model_flag("scale_logits"), "divide q·k by √d, as in the paper's text"),
      add("mask_input", Form::flag, model_flag("mask_input"), "the mask enters beside the measurement"),
      add("step", Form::number, model("step", &ModelConfig::step, -64, 64),
          "pixels from one band to the next on the detector, either sign"),
      add("scale", Form::text, model_word("scale", "sum, max"),
          "scale of measurements: sum over bands, or maximum 0.8"),
      add("wavelengths", Form::text,
          model("wavelengths", "a list of numbers above 0: the wavelength of each band in nm", any_wavelengths),
          "of the bands in nm; scenes are resampled to them"),
      add("init", Form::text, text(&TrainConfig::init), "weights to start from; empty: drawn from the seed"),
  };
  for (ConfigKey& k : keys) {
    if (k.name == "variant") k.option = "--model";
    if (k.name == "step") k.option = "--dispersion";  // --step beside --steps invites the wrong one
    if (k.name == "blocks") {
      k.from_text = [](const Texts& texts) {
        json list = json::array();
        for (const std::string& part : split(texts.at(0), ',')) list.push_back(number_from_text({part}));
        return list;
      };
    }
    if (k.name == "wavelengths") {
      k.from_text = [](const Texts& texts) { return json(parse_wavelengths(texts.at(0), "--wavelengths")); };
    }
  }
  return keys;
}

std::vector<ConfigKey> data_keys() {
  std::vector<ConfigKey> keys = {
      key("data", "scenes", Form::list, texts(&TrainConfig::data), "folders of scenes, or single scenes"),
      key("data", "exclude", Form::list, texts(&TrainConfig::exclude), "names of scenes that are not trained on"),
      key("data", "validation", Form::list, texts(&TrainConfig::validation),
          "folders of scenes, or single scenes, to validate on; empty: no validation"),
      key("data", "validation_mask", Form::text, text(&TrainConfig::validation_mask),
          "mask of the validation; empty: the first mask of the samples"),
      key("data", "memory_limit", Form::text, memory_limit(), "scenes above it go into a cache file"),
      key("data", "cache", Form::text, text(&TrainConfig::cache), "that file; empty: in the run's folder"),
  };
  keys.front().option = "--data";
  return keys;
}

constexpr NumberRange kSpan = {"pixels, from 1 to 1000", [](double v) { return v >= 1 && v <= 1000; }};

/// Of the samples' cameras.
ConfigKey camera(const char* name, double CameraVariety::*member, NumberRange range, const char* help) {
  const Field<CameraVariety> inner = number(member, range);
  const Field<TrainConfig> field = {inner.expected, [inner](const TrainConfig& c) { return inner.get(c.cameras); },
                                    [inner](TrainConfig& c, const json& value) { return inner.set(c.cameras, value); }};
  return key("samples", name, Form::number, field, help);
}

std::vector<ConfigKey> sample_keys() {
  const auto records = [](const char* name, const char* option, const char* expected, const char* help, auto get,
                          auto set, json (*item)(const std::string&)) {
    const auto from = [item](const Texts& texts) {
      json list = json::array();
      for (const std::string& text : texts) list.push_back(item(text));
      return list;
    };
    return ConfigKey{"samples", name, option, Form::records, expected, help, get, set, from};
  };
  return {
      key("samples", "crop", Form::number, whole(&TrainConfig::crop, 1, 16384),
          "width of a sample in pixels, and its height"),
      key("samples", "crop_height", Form::number, whole(&TrainConfig::crop_height, 0, 16384),
          "its height where it is another one; 0: as high as wide"),
      key("samples", "batch", Form::number, whole(&TrainConfig::batch, 1, 65536), "samples of a batch"),
      key("samples", "plain", Form::number, number(&TrainConfig::plain, kShare),
          "share of plain crops; the others are spliced from four of half the size"),
      key("samples", "exposure", Form::number, number(&TrainConfig::exposure, kOneToSixteen),
          "samples are made brighter or darker by a factor drawn from 1/exposure … exposure, but no brighter than 1"),
      key("samples", "relight", Form::number, number(&TrainConfig::relight, kShare),
          "share of crops that are lit by another lamp: a random spectrum, smooth or with peaks"),
      key("samples", "lamps", Form::text, text(&TrainConfig::lamps),
          "a table of measured lamps, name,400,405,… and a line for each: half of those crops are lit by one of them; "
          "empty: none"),
      key("samples", "bend", Form::number, number(&TrainConfig::bend, kShare),
          "share of samples whose spectra are bent, as behind a prism; of networks that take any camera, as the others "
          "below"),
      key("samples", "usual_camera", Form::number, number(&TrainConfig::usual_camera, kShare),
          "share of samples of the usual camera: a mask of the first source, the model's positions, nothing bent, and "
          "nothing of what follows"),
      camera("other_dispersion", &CameraVariety::dispersion, kShare, "share of samples with another dispersion"),
      camera("span_shortest", &CameraVariety::shortest, kSpan,
             "of those, pixels from the first band to the last: from"),
      camera("span_longest", &CameraVariety::longest, kSpan, "to"),
      camera("per_band", &CameraVariety::per_band, kShare, "share of samples with a mask per band: blur and gain"),
      camera("mismatch", &CameraVariety::mismatch, kShare,
             "share of samples whose true mask is not quite the assumed one: shift, blur, contrast, saturation"),
      camera("dead_pixels", &CameraVariety::dead_pixels, kShare, "share of samples with dead and hot pixels"),
      camera("saturation", &CameraVariety::saturation, kShare, "share of samples that are exposed too long"),
      key("samples", "measurement_gain", Form::number, number(&TrainConfig::measurement_gain, kAboveZero),
          "factor of the measurement before noise; 1.2 for real data"),
      records("noises", "--noise", "a list of {model, weight}",
              "noise models, taken with probability in proportion to their weights: none, shot11, shot11:GAIN, "
              "gaussian:SIGMA, poisson:PHOTONS, quantise:BITS, joined by '+'",
              noises_to_json, noises_from_json, noise_from_text),
      records("masks", "--mask", "a list of mask sources",
              "where masks come from, taken with probability in proportion to their weights: kind is file (cropped at "
              "random when larger), binary or grey (random; density drawn from low … high); flips also rotates and "
              "mirrors; blur is the largest σ in pixels",
              masks_to_json, masks_from_json, mask_from_text),
  };
}

std::vector<ConfigKey> optimisation_keys() {
  const auto add = [](const char* name, Form form, const Field<TrainConfig>& field, const char* help) {
    return key("optimisation", name, form, field, help);
  };
  return {
      add("steps", Form::number, whole(&TrainConfig::steps, 1, kMany), "steps of the whole run"),
      add("learning_rate", Form::number, number(&TrainConfig::learning_rate, kAboveZero), "the highest learning rate"),
      add("final_learning_rate", Form::number, number(&TrainConfig::final_learning_rate, kFromZero),
          "at the last step; a cosine between the two"),
      add("warmup", Form::number, whole(&TrainConfig::warmup, 0, kMany), "steps from 0 to the learning rate"),
      add("hold", Form::number, whole(&TrainConfig::hold, 0, kMany), "steps at the learning rate before the cosine"),
      add("optimizer", Form::text, optimizer(),
          "muon: steps of orthogonal matrices for the matrices among the weights, Adam for the rest"),
      add("clip", Form::number, number(&TrainConfig::clip, kFromZero), "largest norm of the gradient; 0: any"),
      add("ema", Form::number, number(&TrainConfig::ema, kDecay), "decay of the averaged weights; 0: none"),
      add("l1", Form::flag, flag(&TrainConfig::l1), "L1 in place of the root of MSE, for real data"),
      add("accumulate", Form::number, whole(&TrainConfig::accumulate, 1, 65536), "batches of one step"),
      add("seed", Form::number, whole(&TrainConfig::seed, 0, std::numeric_limits<std::int64_t>::max()),
          "seed of weights, samples and noise"),
  };
}

std::vector<ConfigKey> run_keys() {
  const auto every = [](const char* name, std::int64_t TrainConfig::*member, std::int64_t least, const char* help) {
    return key("run", name, Form::number, whole(member, least, kMany), help);
  };
  return {
      key("run", "device", Form::text, device(), "where it is computed"),
      key("run", "threads", Form::number, whole(&TrainConfig::threads, 0, 4096), "of the computation; 0: all cores"),
      key("run", "reference", Form::flag, flag(&TrainConfig::reference),
          "libtorch's own layers in place of the project's kernels: slower, the same to rounding"),
      every("validate_every", &TrainConfig::validate_every, 0, "steps between validations; 0: only at the end"),
      every("save_every", &TrainConfig::save_every, 0, "steps between checkpoints; 0: only at the end"),
      every("keep_every", &TrainConfig::keep_every, 0, "checkpoints of every so many steps are never removed; 0: none"),
      every("log_every", &TrainConfig::log_every, 1, "steps between lines of the log"),
  };
}

}  // namespace

const std::vector<ConfigSection>& config_sections() {
  static const std::vector<ConfigSection> sections = {{"model", "the network"},
                                                      {"data", "what is learnt from"},
                                                      {"samples", "how samples are made of the scenes"},
                                                      {"optimisation", "how it is learnt"},
                                                      {"run", "how the run is carried out"}};
  return sections;
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> all;
    for (auto part : {model_keys, data_keys, sample_keys, optimisation_keys, run_keys}) {
      for (ConfigKey& k : part()) all.push_back(std::move(k));
    }
    return all;
  }();
  return keys;
}

void apply_option(TrainConfig& config, std::string_view option, const std::vector<std::string>& arguments) {
  const auto found = std::ranges::find_if(config_keys(), [&](const ConfigKey& k) { return k.option == option; });
  if (found == config_keys().end()) throw InputError(std::string(option), "", "an option", "none of that name");
  const bool many = found->form == Form::list || found->form == Form::records;
  if (!many && arguments.size() != 1) {
    throw InputError(std::string(option), "", "one argument", std::to_string(arguments.size()));
  }
  if (const auto bad = found->set(config, found->from_text(arguments))) {
    throw InputError(std::string(option), bad->where, bad->expected, bad->found);
  }
}

}  // namespace snapcube
