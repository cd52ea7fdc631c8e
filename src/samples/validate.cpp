#include <algorithm>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/text.h"
#include "models/networks.h"
#include "samples/config_keys.h"

namespace snapcube {

namespace {

class Validation {
 public:
  explicit Validation(const std::string& source) : source_(source) {}

  void require(bool condition, const char* key, const std::string& expected, const std::string& found) const {
    if (!condition) refuse(key, expected, found);
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& expected, const std::string& found) const {
    throw InputError(source_, fmt::format("key '{}'", key), expected, found);
  }

 private:
  const std::string& source_;
};

}  // namespace

void validate_crop(const TrainConfig& c, const std::string& source) {
  const Validation v(source);
  const int height = c.sample_height();
  const int width = c.sample_width();
  const auto found = [&] { return c.crop_height > 0 ? shape_text(height, width) : std::to_string(c.crop); };
  const FrameSize usable = usable_size(c.model, height, width);
  if (const NetworkInfo* network = find_network(c.model.variant)) {
    v.require(!network->self_supervised, "model.model",
              "a network that is trained (reconstruct --method runs this one)", c.model.variant);
    v.require(usable.height == height && usable.width == width, "samples.crop",
              network->only_size > 0 ? fmt::format("{}, the only size of {}", network->only_size, network->title)
                                     : fmt::format("a multiple of {}", network->size_multiple),
              found());
  } else {
    const int unit = c.model.size_multiple();
    v.require(height % unit == 0 && width % unit == 0, "samples.crop",
              fmt::format("a multiple of {}: four windows of the model", unit), found());
  }
  v.require(usable.height == height && usable.width == width, "samples.crop",
            fmt::format("a size at which a sparsity of {} keeps a window at the coarsest stage", c.model.sparsity),
            found());
}

void validate(const TrainConfig& c, const std::string& source) {
  const Validation v(source);
  TrainConfig copy = c;
  for (const ConfigKey& key : config_keys()) {
    const nlohmann::json value = key.get(c);
    if (value.is_null()) continue;
    if (const auto bad = key.set(copy, value)) v.refuse(key.path() + bad->where, bad->expected, bad->found);
  }
  check(c.model);

  v.require(!c.data.empty(), "data.scenes", "at least one folder of scenes", "none");
  v.require(!c.masks.empty(), "samples.masks", "at least one source of masks", "none");
  v.require(std::ranges::any_of(c.masks, [](const MaskSource& m) { return m.weight > 0; }), "samples.masks",
            "a weight above 0", "none");
  v.require(std::ranges::any_of(c.noises, [](const auto& n) { return n.second > 0; }), "samples.noises",
            "at least one noise model of a weight above 0 (\"none\" is one)", "none");

  validate_crop(c, source);

  v.require(c.final_learning_rate <= c.learning_rate, "optimisation.final_learning_rate",
            fmt::format("at most the learning rate, {}", c.learning_rate), fmt::format("{}", c.final_learning_rate));
  v.require(c.warmup < c.steps, "optimisation.warmup", fmt::format("fewer than the {} steps of the run", c.steps),
            std::to_string(c.warmup));
  v.require(c.hold <= c.steps - c.warmup, "optimisation.hold",
            fmt::format("at most the {} steps after the warm-up", c.steps - c.warmup), std::to_string(c.hold));
}

}  // namespace snapcube
