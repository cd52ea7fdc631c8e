// Models on the command line: reconstruct --model, bench.

#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/networks.h"
#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::snapcube;

/// A small network and a shot of its camera.
struct Setting {
  testing::TemporaryFolder folder;
  ModelConfig config;
  Setting() {
    config.bands = 4;
    config.step = 1;
    config.window = 4;
    config.bucket = 8;
    config.variant = "tiny";
    write_weights(engine::random_weights(config, 1), folder / "tiny.safetensors");
    const Camera camera(random_mask(40, 50, MaskKind::binary, 0.5, 1), {.bands = 4, .step = 1});
    write_mask(camera.mask(), folder / "mask.mat");
    write_measurement(camera.forward(testing::random_cube(4, 40, 50, 2)), folder / "shot.mat");
  }
  std::string call(const std::string& more) const {
    return "reconstruct " + folder / "shot.mat" + " --mask " + folder / "mask.mat" + " --model " +
           folder / "tiny.safetensors" + " " + more;
  }
};

TEST(ModelCommands, ReconstructWithAWeightsFile) {
  const Setting s;
  const auto result = snapcube(s.call("-o " + s.folder / "cube.npy" + " --sparsity-map " + s.folder / "where.png"));
  ASSERT_EQ(result.code, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "reflected to 48×64")) << result.output;
  const Cube cube = read_cube(s.folder / "cube.npy");
  EXPECT_EQ(cube.bands(), 4);
  EXPECT_EQ(cube.height(), 40);
  EXPECT_EQ(cube.width(), 50);
  EXPECT_TRUE(testing::file_content(s.folder / "where.png").starts_with("\x89PNG"));

  // The same bytes through the library, by one thread.
  const auto once = snapcube(s.call("-q --threads 1 -o " + s.folder / "one.npy"));
  ASSERT_EQ(once.code, 0) << once.output;
  EXPECT_EQ(testing::file_content(s.folder / "cube.npy"), testing::file_content(s.folder / "one.npy"));
}

TEST(ModelCommands, SaysWhenTheCubeDoesNotExplainTheMeasurement) {
  const Setting s;
  const Camera camera(read_mask(s.folder / "mask.mat"), {.bands = 4, .step = 1});
  const auto misfit = [&](const std::string& call) {
    const auto result = snapcube(call + " --json -q -o " + s.folder / "cube.npy");
    EXPECT_EQ(result.code, 0) << result.output;
    const double told = nlohmann::json::parse(result.output)["results"][0]["misfit"];
    EXPECT_NEAR(told, camera.misfit(read_cube(s.folder / "cube.npy"), read_measurement(s.folder / "shot.mat")), 1e-9);
    return told;
  };
  const std::string solver = "reconstruct " + s.folder / "shot.mat" + " --mask " + s.folder / "mask.mat" +
                             " --bands 4 --step 1 --method gap-tv";
  EXPECT_LT(misfit(solver), 0.1);
  EXPECT_GT(misfit(s.call("")), 0.1);  // has learnt nothing
  EXPECT_FALSE(contains(snapcube(solver + " -o " + s.folder / "cube.npy").output, "not explained"));
  EXPECT_TRUE(contains(snapcube(s.call("-o " + s.folder / "cube.npy")).output, "not explained"));
}

TEST(ModelCommands, PassesAreCountedAndTold) {
  const Setting s;
  const auto passes = [&](const std::string& options) {
    const auto result = snapcube(s.call("--json -q " + options + " -o " + s.folder / "cube.npy"));
    EXPECT_EQ(result.code, 0) << result.output;
    return nlohmann::json::parse(result.output)["results"][0]["passes"];
  };
  EXPECT_EQ(passes("")["misfit"].size(), 1U);  // its file does not say that more help
  const auto three = passes("--passes 3 --refine none");
  EXPECT_EQ(three["misfit"].size(), 3U);
  EXPECT_EQ(three["kept"], 3);
  EXPECT_EQ(three["refined"], false);
  EXPECT_EQ(passes("--passes 1 --refine gap-tv")["refined"], true);
  EXPECT_LE(passes("--passes auto")["misfit"].size(), 3U);
}

TEST(ModelCommands, UnitsDoNotMatterToAModelThatKnowsAnyExposure) {
  Setting s;
  s.config.feedback = true;
  write_weights(engine::random_weights(s.config, 1), s.folder / "tiny.safetensors");
  ASSERT_EQ(snapcube(s.call("-q -o " + s.folder / "a.npy")).code, 0);
  Image y = read_measurement(s.folder / "shot.mat");
  for (float& v : y.values()) v *= 128;  // a power of two: not a bit may differ
  write_measurement(y, s.folder / "shot.mat");
  ASSERT_EQ(snapcube(s.call("-q -o " + s.folder / "b.npy")).code, 0);
  const Cube a = read_cube(s.folder / "a.npy");
  const Cube b = read_cube(s.folder / "b.npy");
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(128 * a.data()[i], b.data()[i]);
}

TEST(ModelCommands, WhetherFeedbackHelpsIsMeasuredAndNoted) {
  Setting s;
  s.config.feedback = true;  // wrong: it has learnt nothing
  const std::string file = s.folder / "tiny.safetensors";
  write_weights(engine::random_weights(s.config, 1), file, true);
  const Weights before = read_weights(file, 1 << 30);
  write(make_scene("chart", {.height = 44, .width = 60, .wavelengths = even_wavelengths(450, 50, 4)}),
        s.folder / "scene.mat");
  const std::string call = "models --check-feedback " + file + " --scenes " + s.folder / "scene.mat";
  EXPECT_EQ(snapcube(call).code, 2);  // no mask
  const auto result = snapcube(call + " --json -q --mask " + s.folder / "mask.mat");
  ASSERT_EQ(result.code, 0) << result.output;
  const auto told = nlohmann::json::parse(result.output);
  const Weights after = read_weights(file, 1 << 30);
  EXPECT_EQ(after.config.feedback, told["feedback"].get<bool>());
  EXPECT_EQ(told["feedback"].get<bool>(),
            told["several"]["clean"] >= told["one_pass"]["clean"].get<double>() + 0.1 &&
                told["several"]["noisy"] >= told["one_pass"]["noisy"].get<double>() - 0.1);
  EXPECT_EQ(told["changed"].get<bool>(), !told["feedback"].get<bool>());
  ASSERT_EQ(after.tensors.size(), before.tensors.size());
  for (const auto& [name, tensor] : before.tensors) {
    EXPECT_TRUE(std::ranges::equal(after.tensors.at(name).values, tensor.values)) << name;
  }
}

TEST(ModelCommands, SeveralMeasurementsHaveSparsityMapsOfTheirNames) {
  const Setting s;
  std::filesystem::create_directory(s.folder / "shots");
  for (const char* name : {"one", "two"}) {
    std::filesystem::copy_file(s.folder / "shot.mat", s.folder / ("shots/" + std::string(name) + ".mat"));
  }
  const auto result =
      snapcube("reconstruct -q " + s.folder / "shots" + " --mask " + s.folder / "mask.mat" + " --model " +
               s.folder / "tiny.safetensors" + " -o " + s.folder / "cubes" + " --sparsity-map " + s.folder / "maps");
  ASSERT_EQ(result.code, 0) << result.output;
  for (const char* name : {"one", "two"}) {
    EXPECT_TRUE(testing::file_content(s.folder / ("maps/" + std::string(name) + ".png")).starts_with("\x89PNG"));
  }
}

TEST(ModelCommands, ListOfModels) {
  const Setting s;
  testing::write_file(s.folder / "broken.safetensors", "no weights");
  testing::write_file(s.folder / "notes.txt", "not a model");
  const std::string where = "SNAPCUBE_MODELS=" + s.folder.path().string();
  const auto text = testing::run("env " + where + " " SNAPCUBE_PROGRAM " models");
  ASSERT_EQ(text.code, 0) << text.output;
  EXPECT_TRUE(contains(text.output, "tiny")) << text.output;
  EXPECT_TRUE(contains(text.output, "broken          cannot be used: ")) << text.output;
  EXPECT_FALSE(contains(text.output, "notes")) << text.output;
  const auto json = testing::run("env " + where + " " SNAPCUBE_PROGRAM " models --json");
  ASSERT_EQ(json.code, 0) << json.output;
  for (const auto& model : nlohmann::json::parse(json.output)) {
    if (model["name"] != "tiny") continue;
    EXPECT_EQ(model["bands"], 4);
    EXPECT_EQ(model["step"], 1);
    EXPECT_EQ(model["path"], s.folder / "tiny.safetensors");
    EXPECT_GT(model["parameters"], 1000);
  }
  // By its name, as it is listed.
  const auto named = testing::run("env " + where + " " SNAPCUBE_PROGRAM " reconstruct " + s.folder / "shot.mat" +
                                  " --mask " + s.folder / "mask.mat" + " --model tiny -q -o " + s.folder / "named.npy");
  EXPECT_EQ(named.code, 0) << named.output;
}

TEST(ModelCommands, ScaleAndSigmaChangeTheResult) {
  const Setting s;
  ASSERT_EQ(snapcube(s.call("-q -o " + s.folder / "a.npy")).code, 0);
  ASSERT_EQ(snapcube(s.call("-q --sigma 0.1 -o " + s.folder / "b.npy")).code, 0);
  ASSERT_EQ(snapcube(s.call("-q --scale max -o " + s.folder / "c.npy")).code, 0);
  EXPECT_NE(testing::file_content(s.folder / "a.npy"), testing::file_content(s.folder / "b.npy"));
  const Cube clamped = read_cube(s.folder / "c.npy");
  for (const float v : clamped.values()) {
    EXPECT_GE(v, 0);
    EXPECT_LE(v, 1);
  }
}

TEST(ModelCommands, WhatDoesNotFitIsRefused) {
  const Setting s;
  const auto expect = [&](const std::string& call, const std::string& part) {
    const auto result = snapcube(call);
    EXPECT_EQ(result.code, 2) << call;
    EXPECT_TRUE(contains(result.output, part)) << result.output;
  };
  const std::string out = " -o " + s.folder / "cube.npy";
  const std::string plain = "reconstruct " + s.folder / "shot.mat" + " --mask " + s.folder / "mask.mat";
  expect(plain + " --model cst-none" + out, "share/snapcube/models/cst-none.safetensors");
  expect(s.call("--sigma 1.5" + out), "sparsity");
  expect(s.call("--passes 0" + out), "passes: expected a whole number from 1 to 20, or auto");
  expect(s.call("--passes many" + out), "passes");
  expect(s.call("--refine twist" + out), "--refine");
  expect(plain + " --method gap-tv --passes 2" + out, "--method");
  expect(s.call("--bands 3 --step 1" + out), "shot.mat");
  expect(s.call("--max-memory lots" + out), "--max-memory");
  expect(s.call("--max-memory 1M" + out), "max_memory");
  expect(s.call("--max-memory 2k" + out), "expected at most 2048 bytes (the limit for reading)");
  expect(s.call("--method gap-tv" + out), "--model");
  expect(plain + " --method gap-tv --scale sum" + out, "--method");
  expect(s.call("--set nonsense=1" + out), "nonsense");
  testing::write_file(s.folder / "bad.safetensors", "12345678");
  expect(plain + " --model " + s.folder / "bad.safetensors" + out, "bad.safetensors");
}

TEST(ModelCommands, NamedModelsAreFoundInAFolder) {
  const Setting s;
  const auto result = testing::run("SNAPCUBE_MODELS=" + s.folder.path().string() +
                                   " " SNAPCUBE_PROGRAM " reconstruct -q " + s.folder / "shot.mat" + " --mask " +
                                   s.folder / "mask.mat" + " --model tiny -o " + s.folder / "cube.npy");
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST(ModelCommands, TheInstalledModelIsTakenWhenNoneIsNamed) {
  const Setting s;
  std::filesystem::create_directory(s.folder / "models");
  const auto call = [&](const std::string& more) {
    return testing::run("env SNAPCUBE_MODELS=" + s.folder / "models" + " " SNAPCUBE_PROGRAM " reconstruct --json " +
                        s.folder / "shot.mat" + " --mask " + s.folder / "mask.mat" + " -o " + s.folder / "cube.npy " +
                        more);
  };
  std::filesystem::copy_file(s.folder / "tiny.safetensors", s.folder / "models/cst-s.safetensors");
  const auto plain = call("");
  ASSERT_EQ(plain.code, 0) << plain.output;
  EXPECT_TRUE(contains(plain.output, R"("method": "tiny")")) << plain.output;
  // One that was trained for another camera is not: GAP-TV takes any.
  const auto other = call("--bands 4 --step 1 --offsets 0,1,2,2.5");
  ASSERT_EQ(other.code, 0) << other.output;
  EXPECT_TRUE(contains(other.output, R"("method": "gap-tv")")) << other.output;
  EXPECT_TRUE(contains(other.output, "prism-s was trained for 28 bands")) << other.output;
  // Iterations are none of a network's.
  const auto iterations = call("--iterations 3 --bands 4 --step 1");
  EXPECT_TRUE(contains(iterations.output, R"("method": "gap-tv")")) << iterations.output;
}

TEST(ModelCommands, BenchPrintsWhatItMeasured) {
  const Setting s;
  const auto result = snapcube("bench --json --runs 2 --size 64 --threads 1 --model " + s.folder / "tiny.safetensors");
  ASSERT_EQ(result.code, 0) << result.output;
  const auto json = nlohmann::json::parse(result.output);
  for (const char* key :
       {"model", "size", "threads", "median_s", "min_s", "max_s", "peak_rss_mb", "gmac_per_s", "peak_share"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["size"], 64);
  EXPECT_LE(json["min_s"], json["median_s"]);
  EXPECT_GT(json["peak_share"], 0);
  const auto table = snapcube("bench --markdown --profile --runs 2 --size 64 --model " + s.folder / "tiny.safetensors");
  EXPECT_TRUE(contains(table.output, "| of peak |")) << table.output;
  EXPECT_TRUE(contains(table.output, "bottleneck.blocks.1.ffn")) << table.output;
  EXPECT_EQ(snapcube("bench --model no-such").code, 2);
}

TEST(ModelCommands, MstRunsAndIsMeasured) {
  const testing::TemporaryFolder folder;
  ModelConfig config = network_config("mst-s");
  config.bands = 4;
  config.step = 1;
  config.wavelengths.clear();
  write_weights(engine::random_weights(config, 1), folder / "mst.safetensors");
  const Camera camera(random_mask(21, 30, MaskKind::binary, 0.5, 1), {.bands = 4, .step = 1});
  write_mask(camera.mask(), folder / "mask.mat");
  write_measurement(camera.forward(testing::random_cube(4, 21, 30, 2)), folder / "shot.mat");
  const auto result = snapcube("reconstruct " + folder / "shot.mat" + " --mask " + folder / "mask.mat" + " --model " +
                               folder / "mst.safetensors" + " -o " + folder / "cube.npy");
  ASSERT_EQ(result.code, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "reflected to 24×32")) << result.output;
  EXPECT_EQ(read_cube(folder / "cube.npy").width(), 30);

  const auto table = snapcube("bench --profile --runs 2 --size 32 --model mst-s");
  ASSERT_EQ(table.code, 0) << table.output;
  EXPECT_TRUE(contains(table.output, "decoder_layers.1.2.blocks.1.attention")) << table.output;
  EXPECT_TRUE(contains(table.output, "Gram matrices")) << table.output;
  const auto other = snapcube("bench --model hdnet");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.output, "HDNet runs only in snapcube-train")) << other.output;
}

TEST(ModelCommands, BenchAgainstAReference) {
  // A stand-in for snapcube-train that follows the protocol.
  const Setting s;
  const std::string program = s.folder / "snapcube-train";
  testing::write_file(program,
                      "#!/bin/sh\necho \"$@\" >\"$0.args\"\necho ready\nwhile read -r line; do [ \"$line\" = run ] && "
                      "echo 0.125; done\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = "PATH=" + s.folder.path().string() + ":$PATH ";
  const std::string call =
      std::string(SNAPCUBE_PROGRAM) + " bench --json --runs 2 --size 64 --threads 1 --against torch";
  if (std::filesystem::exists(std::filesystem::path(SNAPCUBE_PROGRAM).parent_path() / "snapcube-train")) {
    GTEST_SKIP() << "the real program is found first";
  }
  const auto result = testing::run(path + call + " --model " + s.folder / "tiny.safetensors");
  ASSERT_EQ(result.code, 0) << result.output;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["torch_median_s"], 0.125);
  EXPECT_NEAR(json["ratio"].get<double>(), 0.125 / json["median_s"].get<double>(), 1e-9);
  EXPECT_EQ(testing::file_content(program + ".args"),
            "bench-reference --model " + s.folder / "tiny.safetensors" + " --size 64 --threads 1 --seed 1\n");
  testing::write_file(program, "#!/bin/sh\necho ready\nread -r line\necho nonsense\nread -r line\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto bad = testing::run(path + call + " --model " + s.folder / "tiny.safetensors");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(contains(bad.output, "nonsense")) << bad.output;
}

}  // namespace
}  // namespace snapcube
