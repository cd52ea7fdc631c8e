#include "samples/config_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include <snapcube/error.h>

#include "models/networks.h"
#include "samples/config_keys.h"
#include "samples/options.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;

/// Every key differs from its default.
TrainConfig unusual() {
  TrainConfig c;
  c.model = cst_variant("cst-l");
  c.model.bands = 12;
  c.model.wavelengths = {};
  for (int i = 0; i < 12; ++i) c.model.wavelengths.push_back(400.1 + 25 * i);
  c.model.blocks = {3, 1, 2};
  c.model.estimators = 0;
  c.model.screening = Screening::random;
  c.model.sparsity = 0.1;
  c.model.window = 8;
  c.model.bucket = 16;
  c.model.rounds = 3;
  c.model.loss_weight = 1.0 / 3;
  c.model.attention = Attention::none;
  c.model.scope = Scope::global;
  c.model.hash_floor = c.model.scale_logits = true;
  c.model.mask_input = false;
  c.model.step = -1;
  c.model.scale = MeasurementScale::max;
  c.init = "weights \"quoted\" \\ back.safetensors";
  c.data = {"cave/", "Bäume, und so/", "# no comment"};
  c.exclude = {"scene=3", "]"};
  c.validation = {"kaist/", "held_out/a.mat"};
  c.validation_mask = "mask.mat:mask";
  c.memory_limit = 123456789;
  c.cache = "/tmp/cache";
  c.masks = {{.kind = MaskSource::Kind::file, .file = "m.mat", .weight = 0.1, .flips = true},
             {.kind = MaskSource::Kind::binary, .weight = 3, .low = 0.3, .high = 0.7},
             {.kind = MaskSource::Kind::grey, .blur = 1e-7}};
  c.noises = {{"shot11+gaussian:0.005", 0.5}, {"none", 1e-300}};
  c.crop = 96;
  c.crop_height = 64;
  c.batch = 7;
  c.plain = 0.25;
  c.exposure = 2.5;
  c.relight = 0.4;
  c.lamps = "lamps.csv";
  c.bend = 0.3;
  c.usual_camera = 0.2;
  c.cameras = {.dispersion = 0.1,
               .shortest = 21,
               .longest = 80,
               .per_band = 0.2,
               .mismatch = 0.3,
               .dead_pixels = 0.6,
               .saturation = 0.7};
  c.measurement_gain = 1.2;
  c.steps = 123'456'789'012;
  c.learning_rate = 1e-5;
  c.final_learning_rate = 3e-9;
  c.warmup = 17;
  c.hold = 18;
  c.optimizer = Optimizer::muon;
  c.clip = 0.5;
  c.ema = 0.999;
  c.l1 = true;
  c.accumulate = 2;
  c.seed = 9'223'372'036'854'775'807u;
  c.device = "cuda:1";
  c.threads = 3;
  c.reference = true;
  c.validate_every = 1;
  c.save_every = 2;
  c.keep_every = 3;
  c.log_every = 4;
  return c;
}

TEST(ConfigFile, RoundTripIsExact) {
  for (const TrainConfig& config : {TrainConfig(), unusual()}) {
    EXPECT_EQ(parse_config(config_text(config), "text"), config) << config_text(config);
  }
  for (const std::string& name : network_names()) {
    TrainConfig config;
    apply_option(config, "--model", {name});
    EXPECT_EQ(parse_config(config_text(config), "text"), config) << config_text(config);
  }
  TrainConfig many;  // a list that does not fit on one line
  many.model.bands = 1024;
  many.model.wavelengths.assign(1024, 500.125);
  EXPECT_EQ(parse_config(config_text(many), "text"), many);
}

TEST(ConfigFile, EveryKeyIsInTheTable) {
  const TrainConfig usual;
  const TrainConfig other = unusual();
  TrainConfig copied;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_NE(key.get(usual), key.get(other)) << key.path() << ": the test should change it";
    EXPECT_FALSE(key.set(copied, key.get(other))) << key.path();
  }
  EXPECT_EQ(copied, other);
  const nlohmann::json model = to_json(usual.model);
  for (const auto& [name, value] : model.items()) {
    EXPECT_TRUE(std::ranges::any_of(config_keys(), [&wanted = name](const auto& k) {
      return k.path() == "model." + wanted;
    })) << name;
  }
}

TEST(ConfigFile, ChangedSettingsAreThoseThatAreNotDefaults) {
  EXPECT_EQ(changed_settings({}).dump(), "{}");
  TrainConfig c;
  c.ema = 0.5;
  c.data = {"cave"};
  EXPECT_EQ(changed_settings(c).dump(), R"({"data.scenes":["cave"],"optimisation.ema":0.5})");
}

TEST(ConfigFile, OptionsDoNotClash) {
  std::set<std::string> options;
  for (const ConfigKey& key : config_keys()) EXPECT_TRUE(options.insert(key.option).second) << key.option;
}

TEST(ConfigFile, AHandwrittenFile) {
  const TrainConfig config = parse_config(R"(
[model]
variant = "cst-m"
rounds = 4
[data]
scenes = ["cave/"]
memory_limit = "512 MiB"
[samples]
noises = [{model = "shot11", weight = 0.5}, {model = "none"}]
[[samples.masks]]
file = "mask.mat"
[[samples.masks]]
kind = "binary"
low = 0.25
high = 1
[optimisation]
learning_rate = 1   # a whole number is a number
)",
                                          "run.toml");
  TrainConfig expected;
  expected.model = cst_variant("cst-m");
  expected.model.rounds = 4;
  expected.data = {"cave/"};
  expected.memory_limit = std::uint64_t{512} << 20;
  expected.noises = {{"shot11", 0.5}, {"none", 1}};
  expected.masks = {{.file = "mask.mat"}, {.kind = MaskSource::Kind::binary, .low = 0.25, .high = 1}};
  expected.learning_rate = 1;
  EXPECT_EQ(config, expected);
}

TEST(ConfigFile, ErrorsNameKeyAndLine) {
  const auto message = [](const std::string& text) {
    return error_of<InputError>([&] { parse_config(text, "run.toml"); });
  };
  EXPECT_EQ(message("[optimisation]\n\nlearning_rate = -1"),
            "run.toml: key 'optimisation.learning_rate' (line 3): expected a number above 0, found -1");
  EXPECT_EQ(message("[optimisation]\nlearning_rate = \"fast\""),
            "run.toml: key 'optimisation.learning_rate' (line 2): expected a number above 0, found \"fast\"");
  EXPECT_EQ(message("[run]\nlr = 1"),
            "run.toml: key 'run.lr' (line 2): expected one of device, threads, reference, validate_every, save_every, "
            "keep_every, "
            "log_every, found 'lr'");
  EXPECT_EQ(message("[modell]\n"),
            "run.toml: key 'modell' (line 1): expected one of the sections model, data, samples, optimisation, run, "
            "found 'modell'");
  EXPECT_EQ(message("model = 3"), "run.toml: key 'model' (line 1): expected a section, found 3");
  EXPECT_EQ(message("[samples]\nbatch = 0"),
            "run.toml: key 'samples.batch' (line 2): expected a whole number, 1 … 65536, found 0");
  EXPECT_EQ(message("[samples]\nbatch = 2.5").substr(0, 40), "run.toml: key 'samples.batch' (line 2): ");
  EXPECT_EQ(message("[[samples.masks]]\nkind = \"grey\"\n[[samples.masks]]\nkind = \"grey\"\nlow = 3"),
            "run.toml: key 'samples.masks[1].low' (line 5): expected a number from 0 to 1, found 3");
  EXPECT_EQ(message("[[samples.masks]]\ndensity = 1"),
            "run.toml: key 'samples.masks[0].density' (line 2): expected one of kind, file, weight, low, high, flips, "
            "blur, found 'density'");
  EXPECT_EQ(message("\n[[samples.masks]]\nweight = 1"),
            "run.toml: key 'samples.masks[0].file' (line 2): expected the name of a mask's file, found nothing");
  EXPECT_EQ(message("[[samples.masks]]\nkind = \"grey\"\nlow = 0.75"),
            "run.toml: key 'samples.masks[0].low' (line 3): expected at most 'high', 0.5, found 0.75");
  EXPECT_EQ(message("[samples]\nnoises = [{model = \"thunder\"}]").substr(0, 76),
            "run.toml: key 'samples.noises[0].model' (line 2): expected a noise model, fo");
  EXPECT_EQ(message("[model]\nvariant = \"cst-xl\""),
            fmt::format("run.toml: key 'model.variant' (line 2): expected one of {}, found \"cst-xl\"",
                        fmt::join(network_names(), ", ")));
  EXPECT_EQ(message("[run]\ndevice = \"cuda:x\""),
            "run.toml: key 'run.device' (line 2): expected cpu, cuda or cuda:N, found \"cuda:x\"");
  EXPECT_EQ(message("[model]\nrounds = 0"),
            "run.toml: key 'model.rounds' (line 2): expected a whole number, 1 … 64, found 0");
  EXPECT_EQ(message("[optimisation]\nclip = nan"),
            "run.toml: key 'optimisation.clip' (line 2): expected a finite number, found nan");
  EXPECT_EQ(message("[optimisation]\nclip = 1979-05-27").substr(0, 46),
            "run.toml: key 'optimisation.clip' (line 2): ex");
  EXPECT_EQ(message("[run]\n\ndevice = ").substr(0, 31), "run.toml: line 3: expected TOML");
  EXPECT_EQ(message("[run]\nthreads = 1\nthreads = 2").substr(0, 31), "run.toml: line 3: expected TOML");
  EXPECT_NE(message("[data]\nscenes = [\"a\\nb\"]").find("a list of printable texts, found"), std::string::npos);
}

TEST(ConfigFile, HostileFilesAreRefused) {
  const auto refused = [](const std::string& text) {
    EXPECT_THROW(parse_config(text, "run.toml"), InputError) << text.substr(0, 40);
  };
  const auto repeated = [](const std::string& part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  refused(repeated("a.", 200'000) + "a = 1");
  refused("[" + repeated("a.", 200'000) + "a]");
  refused(repeated("a.", 2000) + "a = 1");
  refused("[" + repeated("a.", 2000) + "a]\n" + repeated("a.", 1000) + "a = " + repeated("{a.a.a.a.a.a = ", 130) + "1");
  refused("a = " + repeated("[", 4000));
  refused("a = " + repeated("[\n", 100'000));
  refused("[model]\nbands = 99999999999999999999");
  // toml++ 3.3 would run into undefined behaviour
  refused("[model]\nvmask_input = \xd2\x92\"");
  refused("variant = 197\"cst-mn\xef\xb9\xbf\"");
  refused("variant = \"cut \xc3\"");
  refused("variant = \"overlong \xc0\xaf\"");
  refused("variant = \"\\\xc3\xa9\"");
  refused("variant = '\xc3\xa9'");
  refused("[model]\nblocks = [1, 2]");
  refused("[optimisation]\nsteps = 9223372036854775807");
  refused("[optimisation]\nseed = -1");
  refused("[data]\nmemory_limit = \"99999999999 GiB\"");
  refused("[data]\nmemory_limit = [1]");
  refused("[run]\ndevice = \"\xFF\xFE\"");
  refused(std::string("\0\0\0", 3));
  const testing::TemporaryFolder folder;
  EXPECT_THROW(read_config(folder / "none.toml"), InputError);
  std::ofstream(folder / "large.toml") << repeated("# nothing\n", 200'000);
  EXPECT_THROW(read_config(folder / "large.toml"), InputError);
}

TEST(ConfigOptions, AnyKeyFromText) {
  TrainConfig c;
  const auto apply = [&c](const char* option, const std::vector<std::string>& texts) {
    apply_option(c, option, texts);
  };
  apply("--learning-rate", {"2e-4"});
  apply("--blocks", {"2,4,6"});
  apply("--bands", {"31"});
  EXPECT_TRUE(c.model.wavelengths.empty()) << "those of 28 bands do not fit";
  apply("--wavelengths", {"400:10:31"});
  apply("--hash-floor", {"true"});
  apply("--memory-limit", {"2GiB"});
  apply("--mask", {"mask.mat", "binary:low=0.3,high=0.7,weight=0.25", "file:m.mat:mask,weight=2,flips=yes", "grey"});
  apply("--noise", {"none@0.25", "shot11:1.2+gaussian:0.005"});
  EXPECT_EQ(c.learning_rate, 2e-4);
  EXPECT_EQ(c.model.blocks, (std::array{2, 4, 6}));
  EXPECT_EQ(c.model.wavelengths.size(), 31u);
  EXPECT_EQ(c.model.wavelengths.back(), 700);
  EXPECT_TRUE(c.model.hash_floor);
  EXPECT_EQ(c.memory_limit, std::uint64_t{2} << 30);
  using Kind = MaskSource::Kind;
  EXPECT_EQ(c.masks, (std::vector<MaskSource>{{.file = "mask.mat"},
                                              {.kind = Kind::binary, .weight = 0.25, .low = 0.3, .high = 0.7},
                                              {.file = "m.mat:mask", .weight = 2, .flips = true},
                                              {.kind = Kind::grey}}));
  EXPECT_EQ(c.noises, (std::vector<std::pair<std::string, double>>{{"none", 0.25}, {"shot11:1.2+gaussian:0.005", 1}}));
}

TEST(ConfigOptions, ErrorsNameTheOption) {
  const auto message = [](const char* option, const char* text) {
    TrainConfig config;
    return error_of<InputError>([&] { apply_option(config, option, {text}); });
  };
  EXPECT_EQ(message("--ema", "1"), "--ema: expected a number of at least 0 and below 1, found 1");
  EXPECT_EQ(message("--steps", "1e3"), "--steps: expected a whole number of at least 1, found 1000.0");
  EXPECT_EQ(message("--clip", "inf").substr(0, 15), "--clip: expecte");
  EXPECT_EQ(message("--mask", "binary:density=1"),
            "--mask: [0].density: expected one of kind, file, weight, low, high, flips, blur, found 'density'");
  EXPECT_EQ(message("--wavelengths", "400:x:3").substr(0, 24), "--wavelengths: expected ");
  EXPECT_EQ(message("--bogus", "1"), "--bogus: expected an option, found none of that name");
}

TEST(ConfigOptions, OverrideTheFile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "run.toml") << "[model]\nvariant = \"cst-m\"\nblocks = [5, 5, 5]\nhash_floor = true\n"
                                        "[optimisation]\nsteps = 10\nl1 = true\n[data]\nscenes = [\"a\", \"b\"]\n";
  const auto parse = [&](const std::vector<std::string>& given) {
    CLI::App app;
    ConfigOptions options;
    options.add_to(app);
    std::vector<std::string> arguments = {"--config", folder / "run.toml"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(arguments);
    EXPECT_EQ(options.file(), folder / "run.toml");
    return options.config();
  };
  EXPECT_EQ(parse({}), read_config(folder / "run.toml"));
  const TrainConfig c = parse({"--steps", "30", "--no-l1", "--data", "c", "--data", "d", "--sparsity", "0.25",
                               "--model", "cst-l", "--no-mask-input", "--dispersion", "-2"});
  EXPECT_EQ(c.steps, 30);
  EXPECT_FALSE(c.l1);
  EXPECT_EQ(c.data, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(c.model.blocks, cst_variant("cst-l").blocks) << "a variant stands for its blocks";
  EXPECT_EQ(c.model.sparsity, 0.25) << "but not over an option beside it";
  EXPECT_TRUE(c.model.hash_floor) << "what is no part of the variant stays";
  EXPECT_FALSE(c.model.mask_input);
  EXPECT_EQ(c.model.step, -2);
  EXPECT_THROW(parse({"--bogus"}), CLI::ParseError);
}

TEST(ConfigOptions, HelpHasEveryKey) {
  CLI::App app;
  ConfigOptions options;
  options.add_to(app);
  const std::string help = app.help();
  for (const ConfigKey& key : config_keys()) {
    EXPECT_NE(help.find(key.option), std::string::npos) << key.option;
    EXPECT_FALSE(key.help.empty()) << key.option;
  }
}

TEST(ValidateConfig, TellsTheReason) {
  TrainConfig good;
  good.data = {"cave/"};
  good.masks = {{.file = "mask.mat"}};
  EXPECT_NO_THROW(validate(good));
  TrainConfig strange = unusual();
  EXPECT_NO_THROW(validate(strange));
  for (const NetworkInfo& network : other_networks()) {
    if (network.self_supervised) continue;
    TrainConfig other = good;
    apply_option(other, "--model", {network.name});
    EXPECT_NO_THROW(validate(other)) << network.name;
  }

  const auto reason = [&](const std::function<void(TrainConfig&)>& change) {
    TrainConfig config = good;
    change(config);
    return error_of<InputError>([&] { validate(config, "run"); });
  };
  EXPECT_EQ(reason([](TrainConfig& c) { c.data = {}; }),
            "run: key 'data.scenes': expected at least one folder of scenes, found none");
  EXPECT_EQ(reason([](TrainConfig& c) { c.masks = {}; }),
            "run: key 'samples.masks': expected at least one source of masks, found none");
  EXPECT_EQ(reason([](TrainConfig& c) { c.masks[0].weight = 0; }),
            "run: key 'samples.masks': expected a weight above 0, found none");
  EXPECT_EQ(reason([](TrainConfig& c) { c.masks[0].file = ""; }),
            "run: key 'samples.masks[0].file': expected the name of a mask's file, found nothing");
  EXPECT_NE(reason([](TrainConfig& c) { c.noises = {}; }).find("samples.noises"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.noises = {{"thunder", 1}}; }).find("noises[0].model"), std::string::npos);
  EXPECT_EQ(reason([](TrainConfig& c) { c.batch = 0; }),
            "run: key 'samples.batch': expected a whole number, 1 … 65536, found 0");
  EXPECT_EQ(reason([](TrainConfig& c) { c.exposure = 17; }),
            "run: key 'samples.exposure': expected a number from 1 to 16, found 17.0");
  EXPECT_EQ(reason([](TrainConfig& c) { c.relight = -1; }),
            "run: key 'samples.relight': expected a number from 0 to 1, found -1.0");
  EXPECT_EQ(reason([](TrainConfig& c) { c.crop = 200; }),
            "run: key 'samples.crop': expected a multiple of 64: four windows of the model, found 200");
  EXPECT_NE(reason([](TrainConfig& c) { c.crop = 64; }).find("keeps a window"), std::string::npos);
  EXPECT_EQ(reason([](TrainConfig& c) { c.crop_height = 200; }),
            "run: key 'samples.crop': expected a multiple of 64: four windows of the model, found 200×256");
  TrainConfig wide = good;
  wide.crop_height = 64;
  EXPECT_NO_THROW(validate(wide));
  EXPECT_EQ(reason([](TrainConfig& c) {
              c.steps = 100;
              c.warmup = 10;
              c.hold = 91;
            }),
            "run: key 'optimisation.hold': expected at most the 90 steps after the warm-up, found 91");
  EXPECT_NE(reason([](TrainConfig& c) { c.steps = 0; }).find("optimisation.steps"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.ema = 1; }).find("optimisation.ema"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.learning_rate = 0; }).find("optimisation.learning_rate"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.learning_rate = std::nan(""); }).find("learning_rate"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.final_learning_rate = 1; }).find("at most the learning rate"),
            std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.warmup = c.steps; }).find("optimisation.warmup"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.validate_every = -1; }).find("run.validate_every"), std::string::npos);
  EXPECT_EQ(reason([](TrainConfig& c) { c.device = "toaster"; }),
            "run: key 'run.device': expected cpu, cuda or cuda:N, found \"toaster\"");
  EXPECT_NE(reason([](TrainConfig& c) { c.model.bucket = 100; }).find("256 tokens"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.init = "\xFF"; }).find("model.init"), std::string::npos);
  EXPECT_NE(reason([](TrainConfig& c) { c.seed = ~std::uint64_t{0}; }).find("optimisation.seed"), std::string::npos);
}

TEST(ConfigFile, TextsHoldAnyLetter) {
  const TrainConfig config = parse_config(
      "# caf\xc3\xa9\n[data]\nscenes = [\"sc\xc3\xa8nes/\xe6\x97\xa5\xe6\x9c\xac/\xf0\x9f\x93\xb7\", "
      "\"\"\"a\"b\"\"\"]\n",
      "run.toml");
  ASSERT_EQ(config.data.size(), 2u);
  EXPECT_EQ(config.data[0], "sc\xc3\xa8nes/\xe6\x97\xa5\xe6\x9c\xac/\xf0\x9f\x93\xb7");
  EXPECT_EQ(config.data[1], "a\"b");
}

}  // namespace
}  // namespace snapcube
