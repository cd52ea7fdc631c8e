// Training that is stopped, killed or starved, with real processes.

#include <chrono>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "samples/config_file.h"
#include "samples/recipes.h"
#include "train/checkpoints.h"
#include "training_process.h"

namespace snapcube::testing {
namespace {

namespace fs = std::filesystem;

void expect_same_result(const TinyTraining& tiny, const std::string& a, const std::string& b, const std::string& step) {
  for (const std::string& file : {std::string("last.safetensors"), "checkpoints/step-000000" + step + ".safetensors"}) {
    EXPECT_EQ(file_content(tiny.folder / (a + "/" + file)) == file_content(tiny.folder / (b + "/" + file)), true)
        << file;
  }
}

TEST(Resume, ARunKilledAtAnyMomentEqualsOneThatWasNot) {
  const TinyTraining tiny;
  const std::string settings = " --steps 40 --save-every 3 --ema 0.9 --clip 1 --warmup 5 --noise none@1 shot11@1";
  train(tiny, tiny.options("whole") + settings);

  Random random(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::string arguments = tiny.options("killed") + settings;
  int kills = 0;
  for (bool finished = false; !finished;) {
    TrainingProcess process(arguments, tiny.folder / "output.txt");
    if (kills < 2) {
      ASSERT_TRUE(wait_for_a_checkpoint(tiny.folder / "killed")) << process.output();
      std::this_thread::sleep_for(std::chrono::milliseconds(random.below(kills == 0 ? 400 : 2500)));
      process.send(SIGKILL);
      ++kills;
    }
    const int code = process.wait();
    ASSERT_TRUE(code == 0 || code == 128 + SIGKILL) << process.output();
    finished = code == 0;
    arguments = "--resume " + tiny.folder / "killed";
  }
  expect_same_result(tiny, "whole", "killed", "40");
}

TEST(Resume, CtrlCFinishesTheStepAndSaves) {
  const TinyTraining tiny;
  const std::string settings = " --steps 100000 --save-every 100000";
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string run = signal == SIGINT ? "int" : "term";
    TrainingProcess process(tiny.options(run) + settings, tiny.folder / "output.txt");
    // The log's second line comes after the first steps.
    for (int i = 0; i < 6000; ++i) {
      std::ifstream log(tiny.folder / (run + "/log.jsonl"));
      const std::string text{std::istreambuf_iterator<char>(log), {}};
      if (std::ranges::count(text, '\n') >= 2) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    process.send(signal);
    EXPECT_EQ(process.wait(), 0) << process.output();
    expect_contains(process.output(), "stopped at step");
    expect_contains(process.output(), "--resume");
    EXPECT_EQ(Checkpoints(tiny.folder.path() / run / "checkpoints", 0).all().size(), 1);
  }
}

TEST(Resume, AFullDiskIsNamedAndTheCheckpointBeforeStays) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 4 --save-every 4");
  const std::string checkpoint = tiny.folder / "run/checkpoints/step-00000004.safetensors";
  const std::string before = file_content(checkpoint);
  // A limit on the size of files stands for the disk: the log fits, a checkpoint does not.
  const std::string output = train(tiny, "--resume " + tiny.folder / "run" + " --steps 8", 1,
                                   "sh -c 'ulimit -f 20; trap \"\" XFSZ; exec \"$@\"' sh");
  expect_contains(output, "checkpoints/step-00000008.safetensors");
  EXPECT_EQ(file_content(checkpoint) == before, true);
  EXPECT_FALSE(fs::exists(tiny.folder / "run/checkpoints/step-00000008.safetensors"));
  train(tiny, "--resume " + tiny.folder / "run" + " --steps 8");
  EXPECT_TRUE(fs::exists(tiny.folder / "run/checkpoints/step-00000008.safetensors"));
}

TEST(Resume, ADamagedCheckpointIsPassedOver) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 4 --save-every 2");
  const std::string newest = tiny.folder / "run/checkpoints/step-00000004.safetensors";
  const std::string whole = file_content(newest);
  write_file(newest, whole.substr(0, whole.size() / 2));
  const std::string output = train(tiny, "--resume " + tiny.folder / "run");
  expect_contains(output, "the checkpoint before it is taken");
  expect_contains(output, "going on after step 2");
  EXPECT_EQ(file_content(newest) == whole, true);
}

TEST(Resume, KeepsTheLastTwoAndEveryKth) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 11 --save-every 1 --keep-every 4");
  std::vector<std::int64_t> steps;
  for (const auto& [step, file] : Checkpoints(tiny.folder.path() / "run/checkpoints", 4).all()) steps.push_back(step);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{4, 8, 10, 11}));
}

TEST(Resume, ALossThatIsNoNumberNamesStepSceneAndCheckpoint) {
  const TinyTraining tiny;
  const std::string output =
      train(tiny, tiny.options("run") + " --steps 50 --save-every 1 --learning-rate 1e30 --final-learning-rate 0", 1);
  expect_contains(output, " of step ");
  expect_contains(output, "its scenes: ");
  EXPECT_TRUE(contains(output, "first") || contains(output, "second")) << output;
  expect_contains(output, "The last good checkpoint: " + tiny.folder / "run/checkpoints/step-");
}

TEST(Resume, TheLogTellsTheSettingsOfEachPart) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 2 --relight 0.5");
  train(tiny, "--resume " + tiny.folder / "run" + " --steps 3 --relight 0");
  std::vector<nlohmann::json> parts;
  std::ifstream log(tiny.folder / "run/log.jsonl");
  for (std::string line; std::getline(log, line);) {
    if (const auto entry = nlohmann::json::parse(line); entry.contains("started")) parts.push_back(entry);
  }
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0]["started"]["settings"]["samples.relight"], 0.5);
  EXPECT_EQ(parts[0]["started"]["settings"]["optimisation.steps"], 2);
  EXPECT_EQ(parts[1]["step"], 2);
  EXPECT_FALSE(parts[1]["started"]["settings"].contains("samples.relight"));
  EXPECT_EQ(parts[1]["started"]["settings"]["optimisation.steps"], 3);
}

TEST(Resume, RefusesWhatCannotBe) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 2");
  expect_contains(train(tiny, tiny.options("run") + " --steps 2", 2), "expected a new or empty folder");
  expect_contains(train(tiny, "--resume " + tiny.folder / "run --bands 5", 2), "model");
  expect_contains(train(tiny, "--resume " + tiny.folder / "none", 2), "config.toml");
  expect_contains(train(tiny, "", 2), "--run");
  expect_contains(train(tiny, tiny.options("other") + " --device cuda", 2), "--device");
  expect_contains(train(tiny, tiny.options("other") + " --sparsity 1", 2), "sparsity");
  EXPECT_FALSE(fs::exists(tiny.folder / "other"));
}

TEST(Train, StartsFromAnotherRunsWeights) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 3");
  const std::string init = " --init " + tiny.folder / "run/last.safetensors";
  const std::string same = train(tiny, tiny.options("same") + " --steps 1" + init);
  EXPECT_TRUE(contains(same, " tensors taken")) << same;
  EXPECT_FALSE(contains(same, "so fresh")) << same;
  // A block more: its tensors are fresh, all others are taken. Other bands: everything has another shape.
  const std::string deeper = train(tiny, tiny.options("deeper", "--blocks 1,1,2") + " --steps 1" + init);
  expect_contains(deeper, "not in the file, so fresh: bottleneck.blocks.1.attn");
  const std::string wider =
      train(tiny, tiny.options("wider", "--bands 3 --wavelengths 500:20:3") + " --steps 1" + init);
  expect_contains(wider, "of another shape, so fresh: fution.weight (4×8×1×1 in the file, 3×6×1×1 here)");
}

TEST(Train, ChoosesTheRecipe) {
  const TinyTraining tiny;
  const auto config_of = [&](const std::string& run, const std::string& more) {
    train(tiny, tiny.options(run) + " --steps 4" + more);
    return read_config(tiny.folder / run + "/config.toml");
  };
  EXPECT_EQ(config_of("plain", "").optimizer, Optimizer::adam);
  const TrainConfig quick = config_of("quick", " --recipe quick");
  EXPECT_EQ(quick.optimizer, Optimizer::muon);
  EXPECT_EQ(quick.steps, 4);
  EXPECT_EQ(quick.hold, 3);              // the same share of the steps
  EXPECT_EQ(quick.sample_height(), 32);  // --crop is for both sides
  EXPECT_EQ(quick.batch, 2);
  const TrainConfig from = config_of("from", " --init " + tiny.folder / "plain/last.safetensors");
  EXPECT_EQ(from.learning_rate, recipe_config("fine-tune").learning_rate);
  EXPECT_EQ(from.model, quick.model);
  const TrainConfig published =
      config_of("published", " --recipe published --init " + tiny.folder / "plain/last.safetensors");
  EXPECT_EQ(published.optimizer, Optimizer::adam);

  expect_contains(train(tiny, tiny.options("other") + " --recipe slow", 2),
                  "--recipe: expected one of published, quick, fine-tune, found slow");
  expect_contains(train(tiny, "--recipe quick --resume " + tiny.folder / "quick", 2), "--recipe: expected a new run");
  expect_contains(train(tiny, "--recipe quick --config a.toml", 2), "--config cannot be combined with --recipe");
}

TEST(Train, ValidatesAndKeepsTheBest) {
  const TinyTraining tiny;
  train(tiny, tiny.options("run") + " --steps 6 --validate-every 2 --validation " + tiny.folder / "scenes");
  EXPECT_TRUE(fs::exists(tiny.folder / "run/best.safetensors"));
  EXPECT_TRUE(fs::exists(tiny.folder / "run/previews/step-00000001.png"));
  EXPECT_TRUE(fs::exists(tiny.folder / "run/previews/step-00000006.png"));
  const std::string log = file_content(tiny.folder / "run/log.jsonl");
  expect_contains(log, R"("validation":{"psnr":)");
  expect_contains(log, R"({"name":"second","psnr":)");
}

TEST(Train, WaitingThreadsSleepUnlessToldOtherwise) {
  // libgomp tells its settings when it is loaded.
  const auto settings = [](const std::string& environment) {
    return testing::run("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=verbose " + environment +
                        " " SNAPCUBE_TRAIN_PROGRAM " --describe cst-s")
        .output;
  };
  EXPECT_TRUE(testing::contains(settings(""), "GOMP_SPINCOUNT = '1000'"));
  EXPECT_FALSE(testing::contains(settings("OMP_WAIT_POLICY=active"), "GOMP_SPINCOUNT = '1000'"));
  EXPECT_TRUE(testing::contains(settings("GOMP_SPINCOUNT=77"), "GOMP_SPINCOUNT = '77'"));
}

TEST(Train, DescribesAVariantAndAFile) {
  const TinyTraining tiny;
  const std::string text = train(tiny, "--describe cst-l-star");
  expect_contains(text, "2,999,500");
  expect_contains(text, " 39.30 ");
  expect_contains(text, " 40.10\n");
  train(tiny, tiny.options("run") + " --steps 1");
  expect_contains(train(tiny, "--json --describe " + tiny.folder / "run/last.safetensors"), R"("bands": 4)");
}

TEST(Train, BenchTimesTheStepAndTheReferencesBesideIt) {
  const TinyTraining tiny;
  const std::string options = "--bench --bands 4 --crop 128 --threads 1";
  const std::string text = train(tiny, options);
  expect_contains(text, "cst-s, batch 1, 128×128, 1 threads");
  expect_contains(text, "times as fast");
  const std::string output = train(tiny, options + " --batch 2 --json");
  const auto result = nlohmann::json::parse(output);
  EXPECT_EQ(result["batch"], 2);
  EXPECT_GT(result["kernels_peak_memory_mb"], 0);
  const double kernels = result["kernels"]["median_s"];
  const double reference = result["reference"]["median_s"];
  EXPECT_GT(kernels, 0);
  EXPECT_NEAR(result["ratio"], reference / kernels, 1e-9);
  for (const char* part : {"forward_s", "backward_s", "update_s"}) {
    const double seconds = result["kernels"][part];
    EXPECT_GT(seconds, 0) << part;
    EXPECT_LT(seconds, kernels) << part;
  }
  expect_contains(train(tiny, "--bench --crop 64", 2), "'samples.crop': expected a size at which a sparsity of 0.5");
}

}  // namespace
}  // namespace snapcube::testing
