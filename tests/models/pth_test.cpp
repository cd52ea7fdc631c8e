#include "models/pth.h"

#include <bit>
#include <fmt/format.h>
#include <numeric>

#include <snapcube/error.h>

#include "golden.h"
#include "io/half.h"
#include "io/input_file.h"
#include "models/any_weights.h"
#include "models/networks.h"
#include "models/pth_pickle.h"
#include "pth_files.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

constexpr std::uint64_t kPlenty = 1 << 28;

std::span<const std::byte> bytes_of(const std::string& file) { return std::as_bytes(std::span(file)); }

std::vector<NamedTensor> tensors_of(const std::string& file) {
  return open_pth(bytes_of(file), "w", kPlenty).read(kPlenty);
}

std::string refusal(const std::string& file) {
  return error_of<InputError>([&] { tensors_of(file); });
}

FloatBuffer golden(const std::string& name, const std::vector<std::int64_t>& shape) {
  FloatBuffer values(
      static_cast<std::size_t>(std::reduce(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  fill_golden(name, shape.data(), shape.size(), values.data());
  return values;
}

std::string as_storage_of(const FloatBuffer& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Of elements that lie one after the other.
std::vector<std::int64_t> strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  return stride;
}

/// The state_dict of a whole network, as a pickle's body and the storages it refers to.
std::pair<std::string, Storages> network(const ModelConfig& config) {
  std::vector<std::pair<std::string, std::string>> items;
  Storages storages;
  for (const auto& [name, shape] : cst_parameters(config)) {
    if (is_hash_tensor(name)) continue;
    const FloatBuffer values = golden(name, shape);
    const std::string key = std::to_string(storages.size());
    items.emplace_back(name, pickled::tensor(pickled::storage(key, std::ssize(values)), 0, shape, strides(shape)));
    storages.emplace_back(key, as_storage_of(values));
  }
  return {pickled::dict(items), storages};
}

TEST(Pth, PlainFilesGiveExactlyTheirValues) {
  for (const char* name : {"zip_plain.pth", "legacy_plain.pth"}) {
    const LoadedWeights loaded = read_any_weights(data_file(std::string("models/") + name));
    const ModelConfig& config = loaded.weights.config;
    EXPECT_EQ(config.bands, 1);
    EXPECT_EQ(config.blocks, (std::array{1, 1, 1}));
    const std::vector<ParameterShape> expected = cst_parameters(config);
    ASSERT_EQ(loaded.weights.tensors.size(), expected.size()) << name;
    for (const auto& [tensor, shape] : expected) {
      if (is_hash_tensor(tensor)) continue;
      EXPECT_EQ(loaded.weights.tensors.at(tensor).values, golden(tensor, shape)) << name << " " << tensor;
    }
  }
}

TEST(Pth, ACheckpointInFourTypesBigEndianAndTransposed) {
  const LoadedWeights loaded = read_any_weights(data_file("models/zip_checkpoint.pth"));
  EXPECT_EQ(loaded.format, "PyTorch, zip");
  ASSERT_EQ(loaded.notes.size(), 5u);
  EXPECT_EQ(loaded.notes[0], "The tensors are those of 'state_dict'.");
  EXPECT_EQ(loaded.notes[1], "Names are taken without their prefix 'module.'.");
  std::size_t i = 0;
  // The file's order is not ours: there the attention's norm comes before its hash vectors, and kinds go by twos.
  const std::string content = file_content(data_file("models/zip_checkpoint.pth"));
  const StateDict state = open_pth(bytes_of(content), "w", kPlenty);
  const std::vector<NamedTensor> tensors = state.read(kPlenty);
  ASSERT_EQ(tensors.size(), state.shapes().size());
  for (const NamedTensor& tensor : tensors) {
    FloatBuffer expected = golden(tensor.name, tensor.shape);
    const std::size_t kind = i++ / 2 % 4;
    for (float& v : expected) {
      if (kind == 2) v = float_from_half(half_from_float(v));
      if (kind == 3) v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) & 0xFFFF0000u);
    }
    EXPECT_EQ(tensor.values, expected) << tensor.name;
    EXPECT_EQ(loaded.weights.tensors.at(tensor.name).values, expected);
  }
}

TEST(Pth, OneStorageForAllAndTheFilesOwnHashVectors) {
  const LoadedWeights loaded = read_any_weights(data_file("models/legacy_shared.pth"), {.seed = 99});
  EXPECT_EQ(loaded.weights.config.blocks, (std::array{1, 2, 1}));
  EXPECT_EQ(loaded.notes.back(), "Hash vectors: those of the file.");
  for (const auto& [name, tensor] : loaded.weights.tensors)
    EXPECT_EQ(tensor.values, golden(name, tensor.shape)) << name;
}

TEST(Pth, WhatIsInferredIsTold) {
  for (const std::string& variant : cst_variant_names()) {
    for (const bool mask : {true, false}) {
      ModelConfig config = cst_variant(variant);
      config.bands = 2;
      config.mask_input = mask;
      config.wavelengths = {};
      std::vector<ParameterShape> shapes = cst_parameters(config);
      std::erase_if(shapes, [](const auto& p) { return is_hash_tensor(p.name); });
      EXPECT_EQ(infer_config(shapes, {}, "w").config, config) << variant;
    }
  }
  std::vector<ParameterShape> published = cst_parameters(cst_variant("cst-l"));
  const InferredConfig inferred = infer_config(published, {{"sparsity", "0.25"}, {"scale", "max"}}, "w");
  EXPECT_EQ(inferred.config.wavelengths.size(), 28u);
  EXPECT_EQ(inferred.config.sparsity, 0.25);
  EXPECT_EQ(inferred.config.scale, MeasurementScale::max);
  EXPECT_EQ(inferred.notes, (std::vector<std::string>{"From names and shapes: cst-l, 28 bands, 2+4+6 blocks, two "
                                                      "estimators, error map, measurement and mask as input.",
                                                      "As published: window 16, bucket 64, step 2."}));
  EXPECT_EQ(error_of<InputError>([&] {
              infer_config(published, {{"bands", "3"}}, "w");
            }).substr(0, 54),
            "model settings: expected one of sparsity, rounds, wind");
  EXPECT_EQ(error_of<InputError>([&] {
              infer_config(published, {{"window", "big"}}, "w");
            }),
            "model settings: window: expected a fitting value, found 'big'");
}

TEST(Pth, HashVectorsComeFromTheSeed) {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 1;
  const auto [body, storages] = network(config);
  const std::string file = pth_zip(body, storages);
  const auto alpha = [&](std::uint64_t seed) {
    return parse_any_weights(bytes_of(file), "w", {.seed = seed})
        .weights.tensors.at("bottleneck.blocks.1.attn.fn.hash_alpha")
        .values;
  };
  EXPECT_EQ(alpha(4), alpha(4));
  EXPECT_NE(alpha(4), alpha(5));
  const LoadedWeights three = parse_any_weights(bytes_of(file), "w", {.settings = {{"rounds", "3"}}});
  EXPECT_EQ(three.weights.tensors.at("bottleneck.blocks.1.attn.fn.hash_alpha").shape,
            (std::vector<std::int64_t>{3, 3}));
}

TEST(Pth, WhatDoesNotFitTheNetworkIsListedBeforeValuesAreRead) {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 1;
  auto [body, storages] = network(config);
  // A tensor more, of 2⁴⁰ elements that share one: refused by its name, not by its size.
  body.pop_back();
  body += pickled::text("extra") + pickled::tensor(pickled::storage("0", 2), 0, {1 << 20, 1 << 20}, {0, 0}) + "u";
  EXPECT_EQ(error_of<InputError>([&] { parse_any_weights(bytes_of(pth_zip(body, storages)), "w"); }),
            "w: tensors: expected the 108 of its configuration, found 1 unexpected: 'extra'");
}

TEST(Pth, SafetensorsOfOthersAreInferredToo) {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 1;
  config.wavelengths = {};
  Safetensors content;
  std::vector<FloatBuffer> values;
  for (const auto& [name, shape] : cst_parameters(config)) {
    if (!is_hash_tensor(name)) values.push_back(golden(name, shape));
  }
  std::size_t i = 0;
  for (const auto& [name, shape] : cst_parameters(config)) {
    if (is_hash_tensor(name)) continue;
    content.tensors.push_back({name, TensorType::f32, shape, std::as_bytes(std::span(values[i++]))});
  }
  const LoadedWeights loaded = parse_any_weights(safetensors_file(content), "w");
  EXPECT_EQ(loaded.format, "safetensors");
  EXPECT_EQ(loaded.weights.config, config);
  EXPECT_EQ(loaded.notes.size(), 3u);
  EXPECT_EQ(loaded.weights.tensors.at("out_proj.weight").values, golden("out_proj.weight", {1, 1, 3, 3}));
}

TEST(Pth, OurOwnFilesKeepTheirConfigurationUnlessTold) {
  TemporaryFolder folder;
  const LoadedWeights loaded = read_any_weights(data_file("models/zip_plain.pth"), {.settings = {{"step", "3"}}});
  write_weights(loaded.weights, folder / "w.safetensors");
  const LoadedWeights again = read_any_weights(folder / "w.safetensors");
  EXPECT_EQ(again.format, "Snapcube weights");
  EXPECT_EQ(again.weights.config.step, 3);
  EXPECT_TRUE(again.notes.empty());
  EXPECT_EQ(read_any_weights(folder / "w.safetensors", {.settings = {{"step", "-1"}}}).weights.config.step, -1);
  // The hash vectors of the file are for two rounds.
  expect_contains(error_of<InputError>([&] {
                    read_any_weights(folder / "w.safetensors", {.settings = {{"rounds", "3"}}});
                  }),
                  "of another shape");
}

TEST(Pth, StridesMayOverlapAndRepeat) {
  using namespace pickled;  // NOLINT
  const std::string data = float_bytes({1, 2, 3, 4, 5});
  const std::string file = pth_zip(dict({{"windows", tensor(storage("s", 5), 0, {3, 3}, {1, 1})},
                                         {"same", tensor(storage("s", 5), 4, {2, 2}, {0, 0})},
                                         {"single", tensor(storage("s", 5), 2, {}, {})},
                                         {"none", tensor(storage("s", 5), 77, {0, 4}, {4, 1})}}),
                                   {{"s", data}});
  const std::vector<NamedTensor> tensors = tensors_of(file);
  EXPECT_EQ(tensors[0].values, (FloatBuffer{1, 2, 3, 2, 3, 4, 3, 4, 5}));
  EXPECT_EQ(tensors[1].values, (FloatBuffer{5, 5, 5, 5}));
  EXPECT_EQ(tensors[2].values, (FloatBuffer{3}));
  EXPECT_EQ(tensors[3].values, FloatBuffer{});
}

TEST(Pth, AViewOfAnOldStorage) {
  using namespace pickled;  // NOLINT
  const auto view = [](std::int64_t from, std::int64_t count) {
    return tuple({text("storage"), global("torch.cuda", "FloatStorage"), text("s"), text("cuda:0"), integer(5),
                  tuple({text("v"), integer(from), integer(count)})}) +
           "Q";
  };
  const std::string data = little_endian(5, 8) + float_bytes({1, 2, 3, 4, 5});
  EXPECT_EQ(tensors_of(pth_legacy(dict({{"a", tensor(view(2, 3), 1, {2}, {1})}}), {"s"}, data))[0].values,
            (FloatBuffer{4, 5}));
  expect_contains(refusal(pth_legacy(dict({{"a", tensor(view(2, 3), 1, {3}, {1})}}), {"s"}, data)),
                  "expected elements inside the storage's 3, found 3 from element 1 on");
  expect_contains(refusal(pth_legacy(dict({{"a", tensor(view(3, 3), 0, {1}, {1})}}), {"s"}, data)),
                  "expected a part of 5 elements, found 3 from element 3 on");
}

TEST(Pth, AnOldStorageWhoseCountIsBigEndianIsSo) {
  using namespace pickled;  // NOLINT
  const std::string body = dict({{"a", tensor(storage("s", 1), 0, {1}, {1})}});
  EXPECT_EQ(tensors_of(pth_legacy(body, {"s"}, std::string("\0\0\0\0\0\0\0\x01\x3f\xc0\0\0", 12)))[0].values[0], 1.5f);
  EXPECT_EQ(tensors_of(pth_legacy(body, {"s"}, std::string("\x01\0\0\0\0\0\0\0\0\0\xc0\x3f", 12)))[0].values[0], 1.5f);
}

TEST(Pth, Wrappers) {
  using namespace pickled;  // NOLINT
  const std::string inner = dict({{"a", tensor(storage("s", 1), 0, {1}, {1})}});
  const Storages storages = {{"s", float_bytes({3})}};
  for (const char* key : {"state_dict", "model_state_dict", "model", "params", "params_ema", "net", "weights"}) {
    EXPECT_EQ(tensors_of(pth_zip(dict({{"epoch", integer(3)}, {key, inner}}), storages))[0].name, "a") << key;
  }
  const std::string deep = pth_zip(dict({{"model", dict({{"state_dict", inner}})}}), storages);
  EXPECT_EQ(open_pth(bytes_of(deep), "w", kPlenty).notes()[0], "The tensors are those of 'model.state_dict'.");
  expect_contains(refusal(pth_zip(dict({{"epoch", integer(3)}, {"mine", inner}}), storages)),
                  "expected a state_dict: a dict of tensors by name, found a dict of 'epoch', 'mine'");
  // A prefix counts only if every name has it.
  const std::string one = tensor(storage("s", 1), 0, {1}, {1});
  EXPECT_EQ(tensors_of(pth_zip(dict({{"module.model.a", one}, {"module.model.b", one}}), storages))[1].name, "b");
  EXPECT_EQ(tensors_of(pth_zip(dict({{"module.a", one}, {"b", one}}), storages))[0].name, "module.a");
}

/// As torch saves it: batch normalisation counts its batches, in integers. Nobody needs the counts.
TEST(Pth, CountersOfBatchNormalisationArePassedOver) {
  using namespace pickled;  // NOLINT
  ModelConfig config = network_config("hdnet");
  config.bands = 2;
  config.wavelengths.clear();
  constexpr std::int64_t kShared = 200'000;  // all tensors begin at the first of these
  const std::string zeros(kShared * sizeof(float), '\0');
  const std::string count(8, '\7');
  std::vector<std::pair<std::string, std::string>> items;
  Safetensors content;
  for (const NetworkTensor& one : network_tensors(config)) {
    const auto& [name, shape] = one.shape;
    items.emplace_back(name, tensor(storage("zeros", kShared), 0, shape, strides(shape)));
    const auto elements = static_cast<std::size_t>(std::reduce(shape.begin(), shape.end(), 1l, std::multiplies<>()));
    content.tensors.push_back({name, TensorType::f32, shape, bytes_of(zeros).first(elements * sizeof(float))});
    if (!name.ends_with(".running_var")) continue;
    const std::string counter = name.substr(0, name.size() - 11) + "num_batches_tracked";
    items.emplace_back(counter, tensor(storage("count", 1, "LongStorage"), 0, {}, {}));
    content.tensors.push_back({counter, TensorType::i64, {}, bytes_of(count)});
  }
  const std::string pth = pth_zip(dict(items), {{"zeros", zeros}, {"count", count}});
  const std::vector<std::byte> safetensors = safetensors_file(content);
  for (const std::span<const std::byte> file : {bytes_of(pth), std::span<const std::byte>(safetensors)}) {
    const LoadedWeights loaded = parse_any_weights(file, "w");
    EXPECT_EQ(loaded.weights.config, config);
    EXPECT_EQ(loaded.weights.tensors.size(), network_tensors(config).size());
  }
}

/// Stripping one prefix after the other off a long name would take days.
TEST(Pth, PrefixesWithoutEnd) {
  using namespace pickled;  // NOLINT
  std::string name;
  for (int i = 0; i < 1'000'000; ++i) name += "net.";
  const std::string file = pth_zip(dict({{name + "a", tensor(storage("s", 1), 0, {1}, {1})}}), {{"s", "1234"}});
  const StateDict state = open_pth(bytes_of(file), "w", kPlenty);
  EXPECT_TRUE(state.shapes()[0].name.ends_with("net.a"));
  EXPECT_LT(state.notes()[0].size(), 200u);
}

/// What is read of storages is bounded as what is made of them: a tensor of one element may lie in a storage of many.
TEST(Pth, StoragesThatAreFarLargerThanTheFile) {
  using namespace pickled;  // NOLINT
  constexpr std::size_t kElements = 1 << 20;
  const std::string zeros(kElements * sizeof(float), '\0');
  const std::string packed = deflated_raw(zeros);
  std::vector<ZipPart> parts;
  std::vector<std::pair<std::string, std::string>> items;
  for (int i = 0; i < 3; ++i) {
    const std::string key = std::to_string(i);
    items.emplace_back("t" + key, tensor(storage(key, kElements), 0, {1}, {1}));
    parts.push_back({.name = "archive/data/" + key,
                     .data = packed,
                     .size = zeros.size(),
                     .checksum = checksum(zeros),
                     .method = 8});
  }
  expect_contains(refusal(pth_zip(dict(items), {}, parts)), "storages: expected at most");
}

TEST(Pth, AStorageHasOneTypeAndSize) {
  using namespace pickled;  // NOLINT
  const std::string body =
      dict({{"a", tensor(storage("s", 2), 0, {1}, {1})}, {"b", tensor(storage("s", 1, "DoubleStorage"), 0, {1}, {1})}});
  expect_contains(refusal(pth_zip(body, {{"s", std::string(8, '\0')}})), "storage 's': expected one type and size");
}

/// A network's name, but not its tensors: told what is wrong, before a value is read.
TEST(Pth, WhatPretendsToBeAnotherNetwork) {
  using namespace pickled;  // NOLINT
  for (const NetworkInfo& info : other_networks()) {
    SCOPED_TRACE(info.name);
    ModelConfig config = network_config(info.name);
    const auto attempt = [&](int bands, const std::string& without, const std::string& misshaped) {
      config.bands = bands;
      std::vector<std::pair<std::string, std::string>> items;
      for (const NetworkTensor& one : network_tensors(config)) {
        std::vector<std::int64_t> shape = one.shape.shape;
        if (one.shape.name == without) continue;
        if (one.shape.name == misshaped) shape.push_back(1 << 20);
        const std::vector<std::int64_t> stride(shape.size(), 0);
        items.emplace_back(one.shape.name, tensor(storage("s", 1), 0, shape, stride));
      }
      const std::string file = pth_zip(dict(items), {{"s", std::string(4, '\0')}});
      return error_of<InputError>([&] { parse_any_weights(bytes_of(file), "w", {.max_bytes = 1 << 26}); });
    };
    // Constants may lack, so the last tensor that may not.
    std::string last;
    for (const NetworkTensor& one : network_tensors(config)) {
      if (one.kind != NetworkTensor::Kind::constant && one.shape.name != info.bands_at.tensor) last = one.shape.name;
    }
    expect_contains(attempt(3, last, ""), "1 missing: " + last);
    expect_contains(attempt(3, "", last), "1 of another shape: " + last);
    expect_contains(attempt(1024, "", ""), "tensors: expected at most");
  }
}

TEST(Pth, MessagesDoNotGrowWithTheFile) {
  using namespace pickled;  // NOLINT
  std::vector<std::pair<std::string, std::string>> items;
  const std::string one = tensor(storage("s", 1), 0, {1, 2, 1, 1}, {0, 0, 0, 0});
  items.emplace_back("fution.weight", one);
  for (int i = 0; i < 3; ++i) {
    items.emplace_back(
        fmt::format("{}.blocks.0.attn.fn.to_q.weight", i == 2 ? "bottleneck" : fmt::format("encoder_layers.{}.0", i)),
        one);
  }
  for (int i = 0; i < 2000; ++i) items.emplace_back(fmt::format("tensor{}", i), one);
  const std::string file = pth_zip(dict(items), {{"s", "1234"}});
  const std::string message = error_of<InputError>([&] { parse_any_weights(bytes_of(file), "w"); });
  expect_contains(message, "2000 unexpected: ");
  EXPECT_LT(message.size(), 3000u);
}

TEST(Pth, EveryBeginningAndEveryChangedByteIsReadOrRefused) {
  for (const char* name : {"small_zip.pth", "small_legacy.pth", "small_legacy4.pth"}) {
    const std::string content = file_content(data_file(std::string("models/") + name));
    std::size_t refused = 0;
    const auto attempt = [&](const std::string& file) {
      try {
        if (is_pth(bytes_of(file))) open_pth(bytes_of(file), "w", 1 << 20).read(1 << 20);
      } catch (const InputError&) {
        ++refused;
      }
    };
    for (std::size_t length = 4; length < content.size(); ++length) attempt(content.substr(0, length));
    EXPECT_EQ(refused, content.size() - 4) << name;
    for (std::size_t i = 0; i < content.size(); ++i) {
      for (const int change : {0x01, 0x20, 0x80, 0xff}) {
        std::string damaged = content;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        attempt(damaged);
      }
    }
    EXPECT_GT(refused, 2 * content.size()) << name;
  }
}

TEST(PickleMachine, ObjectsAreCounted) {
  PthObjects objects;
  const std::string many = std::string("\x80\x02", 2) + std::string(kMaxPickledObjects + 1, ')') + ".";
  expect_contains(error_of<InputError>([&] { run_pickle(bytes_of(many), "w", objects); }), "at most 1000000 objects");
  // A list of 1000 items, taken a million times as the start of a dict.
  std::string dicts = "\x80\x02](";
  for (int i = 0; i < 1000; ++i) dicts += ")";
  dicts += "eq" + std::string(1, '\0') + "ccollections\nOrderedDict\nq\x01";
  for (int i = 0; i < 100'000; ++i) dicts += "h\x01h" + std::string(1, '\0') + "\x85R";
  PthObjects others;
  EXPECT_THROW(run_pickle(bytes_of(dicts), "w", others), InputError);
}

TEST(PickleMachine, CyclesAndDepthDoNoHarm) {
  PthObjects objects;
  // A dict that holds itself, then tuples inside each other.
  std::string deep =
      "\x80\x02}q" + std::string(1, '\0') + "X" + little_endian(1, 4) + "ah" + std::string(1, '\0') + "s";
  for (int i = 0; i < 300'000; ++i) deep += "\x85";
  const PickleResult result = run_pickle(bytes_of(deep + "."), "w", objects);
  EXPECT_EQ(objects[result.root].kind, ObjectKind::tuple);
  EXPECT_EQ(result.length, deep.size() + 1);
}

}  // namespace
}  // namespace snapcube
