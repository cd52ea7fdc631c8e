// snapcube ablate with real processes: a whole table, one that is killed, one that is spread over ranks.

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <snapcube/snapcube.h>

#include "commands/run.h"
#include "support.h"
#include "training_process.h"

namespace snapcube::testing {
namespace {

namespace fs = std::filesystem;

/// Three scenes of 4 bands, a mask, and a network of some thousand parameters on them.
class TinyAblation {
 public:
  TinyAblation() {
    fs::create_directory(folder / "scenes");
    for (const int i : {1, 2, 3}) {
      Cube cube = random_cube(4, 72, 80, static_cast<std::uint64_t>(i));
      cube.wavelengths = {500, 520, 540, 560};
      write(cube, folder / ("scenes/s" + std::to_string(i) + ".hdr"));
    }
    write_mask(random_mask(64, 64, MaskKind::binary, 0.5, 1), folder / "mask.npy");
  }
  /// `network` goes to `snapcube train`.
  std::string call(const std::string& table, const std::string& network, int steps) const {
    return "ablate " + table + " --data " + folder / "scenes" + " --validation " + folder / "scenes/s3.hdr" +
           " --mask " + folder / "mask.npy" + " --batch 1 --threads 1 --steps " + std::to_string(steps) + " -o " +
           folder / "out" + " -- --bands 4 --blocks 1,1,1 --wavelengths 500:20:4 --log-every 1 " + network;
  }
  std::string row(const std::string& path) const { return folder / ("out/rows/" + path); }

  /// Steps of those lines of a row's log that have this key: "started", whenever its training was, and "loss".
  std::vector<int> steps_with(const std::string& key, const std::string& name) const {
    std::vector<int> steps;
    std::ifstream log(row(name + "/log.jsonl"));
    for (std::string line; std::getline(log, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json.contains(key)) steps.push_back(json["step"]);
    }
    return steps;
  }
  std::vector<int> starts(const std::string& name) const { return steps_with("started", name); }

  TemporaryFolder folder;
};

/// Windows of 4×4, so that small crops have several.
constexpr const char* kSmall = "--window 4 --bucket 4 --crop 32";

/// The program in a group of its own.
class Process {
 public:
  explicit Process(const std::string& arguments) {
    const std::string command = "exec " + std::string(SNAPCUBE_PROGRAM) + " " + arguments + " >/dev/null 2>&1";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Process() {
    if (pid_ > 0) kill_all();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill_all() {
    ::kill(-pid_, SIGKILL);
    wait();
  }
  void terminate() const { ::kill(pid_, SIGTERM); }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

TEST(Ablate, TrainsEveryAttentionAndMakesTheTable) {
  const TinyAblation tiny;
  const auto result = snapcube(tiny.call("attention", "--crop 64", 2));
  ASSERT_EQ(result.code, 0) << result.output;
  const std::string table = file_content(tiny.folder / "out/attention.md");
  expect_contains(table, "| method | Params (M) | FLOPs (G) | MACs (G) | s3 | mean |");
  for (const char* title : {"Baseline", "G-MSA", "W-MSA", "Swin-MSA", "S-MSA", "SAH-MSA"}) {
    expect_contains(table, std::string("| ") + title + " | 0.");
  }
  expect_contains(table, "--exclude s3");  // held out
  expect_contains(file_content(tiny.folder / "out/attention.tex"), "Swin-MSA & 0.");
  expect_contains(file_content(tiny.folder / "out/attention.csv"), "S-MSA,mean,");
  const std::string figure = file_content(tiny.folder / "out/attention.svg");
  EXPECT_TRUE(figure.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"")) << figure.substr(0, 80);
  expect_contains(figure, ">G-MSA</text>");

  // The score is the validation's, the same as of the network that is there.
  const auto baseline = nlohmann::json::parse(file_content(tiny.row("baseline.json")));
  expect_contains(table, fmt::format("{:.2f} / {:.3f} |", baseline["scenes"][0]["psnr"].get<double>(),
                                     baseline["scenes"][0]["ssim"].get<double>()));
  EXPECT_EQ(baseline["steps"], 2);
  EXPECT_GT(baseline["seconds"].get<double>(), 0);

  // Another table of the same folder needs one row more.
  const auto scope = snapcube(tiny.call("scope", "--crop 64", 2));
  EXPECT_EQ(scope.code, 0) << scope.output;
  expect_contains(scope.output, "Baseline: already done");
  expect_contains(scope.output, "Local: already done");
  EXPECT_FALSE(contains(scope.output, "Global: already done"));
  EXPECT_EQ(tiny.starts("baseline"), std::vector<int>{0});

  // Another budget is another table.
  const auto other = snapcube(tiny.call("scope", "--crop 64", 3));
  EXPECT_EQ(other.code, 2) << other.output;
  expect_contains(other.output, "those that its rows are trained with");

  // snapcube hands what the engine does not run to snapcube-train, and exports only what can be expressed.
  const std::string shot = tiny.folder / "shot.mat";
  const auto simulated =
      snapcube("simulate " + tiny.folder / "scenes/s3.hdr" + " --wavelengths 500:20:4 --crop 0,0,64,64 --mask " +
               tiny.folder / "mask.npy" + " -q -o " + shot);
  ASSERT_EQ(simulated.code, 0) << simulated.output;
  for (const char* name : {"g-msa", "w-msa", "swin-msa", "s-msa", "sah-msa"}) {
    const auto run = snapcube("reconstruct " + shot + " --mask " + tiny.folder / "mask.npy" + " --model " +
                              tiny.row(name) + "/last.safetensors -o " + tiny.folder / "cube.mat");
    EXPECT_EQ(run.code, 0) << name << run.output;
    EXPECT_EQ(contains(run.output, "snapcube-train"), std::string(name) != "sah-msa") << run.output;
    const auto exported = snapcube("export " + tiny.row(name) + "/last.safetensors " + tiny.folder / "model.onnx");
    EXPECT_EQ(exported.code, std::string(name) == "sah-msa" ? 0 : 2) << exported.output;
  }
  const auto bench = snapcube("bench --model " + tiny.row("g-msa") + "/last.safetensors");
  EXPECT_EQ(bench.code, 2);
  expect_contains(bench.output, "attention: expected none or sah, which the engine runs, found global");
}

TEST(Ablate, NoRowIsTrainedTwiceWhateverInterruptsIt) {
  const TinyAblation tiny;
  const std::string call = tiny.call("breakdown", kSmall, 60);
  {
    Process process(call);
    ASSERT_TRUE(wait_for_a_checkpoint(tiny.row("sah-msa")));
    process.kill_all();
  }
  EXPECT_TRUE(fs::exists(tiny.row("baseline.json")));
  EXPECT_FALSE(fs::exists(tiny.row("sah-msa.json")));
  const std::string baseline = file_content(tiny.row("baseline/last.safetensors"));
  {
    Process process(call);
    ASSERT_TRUE(wait_for_a_checkpoint(tiny.row("sasm")));
    process.terminate();  // this process alone, as a scheduler may: its child is told, and saves
    EXPECT_EQ(process.wait(), 130);
  }
  const auto last = snapcube(call);
  ASSERT_EQ(last.code, 0) << last.output;
  expect_contains(last.output, "Baseline: already done");
  expect_contains(last.output, "+ SAH-MSA: already done");
  expect_contains(last.output, "+ SASM: goes on");
  EXPECT_EQ(tiny.starts("baseline"), std::vector<int>{0});
  EXPECT_TRUE(baseline == file_content(tiny.row("baseline/last.safetensors")));
  std::vector<int> every;
  for (int i = 1; i <= 60; ++i) every.push_back(i);
  for (const char* name : {"sah-msa", "sasm"}) {
    const auto starts = tiny.starts(name);
    ASSERT_EQ(starts.size(), 2u) << name;
    EXPECT_GT(starts[1], 0) << name;
    EXPECT_EQ(tiny.steps_with("loss", name), every) << name;
  }
  EXPECT_TRUE(fs::exists(tiny.folder / "out/breakdown.md"));
}

TEST(Ablate, ARowStoppedBeforeItsFirstCheckpointStartsAnew) {
  const TinyAblation tiny;
  const std::string call = tiny.call("breakdown --rows baseline", kSmall, 4);
  ASSERT_EQ(snapcube(call).code, 0);
  const std::string whole = file_content(tiny.row("baseline/last.safetensors"));
  fs::remove(tiny.row("baseline.json"));
  fs::remove_all(tiny.row("baseline/checkpoints"));
  fs::remove(tiny.row("baseline/last.safetensors"));
  const auto again = snapcube(call);
  ASSERT_EQ(again.code, 0) << again.output;
  expect_contains(again.output, "stopped before its first checkpoint: starting at the beginning");
  EXPECT_TRUE(whole == file_content(tiny.row("baseline/last.safetensors")));
}

TEST(Ablate, RanksShareTheRows) {
  const TinyAblation tiny;
  const std::string program = std::string(SNAPCUBE_PROGRAM) + " " + tiny.call("breakdown", kSmall, 2);
  const auto first = run("RANK=0 WORLD_SIZE=2 " + program);
  ASSERT_EQ(first.code, 0) << first.output;
  expect_contains(first.output, "the table will be made when the other ranks have trained + SAH-MSA");
  EXPECT_TRUE(fs::exists(tiny.row("baseline.json")));
  EXPECT_TRUE(fs::exists(tiny.row("sasm.json")));
  EXPECT_FALSE(fs::exists(tiny.row("sah-msa")));
  EXPECT_FALSE(fs::exists(tiny.folder / "out/breakdown.md"));
  const auto second = run("SLURM_PROCID=1 SLURM_NTASKS=2 " + program);
  ASSERT_EQ(second.code, 0) << second.output;
  EXPECT_TRUE(fs::exists(tiny.folder / "out/breakdown.md"));
  EXPECT_EQ(tiny.starts("baseline"), std::vector<int>{0});
  EXPECT_EQ(run("RANK=2 WORLD_SIZE=2 " + program).code, 2);
}

TEST(Ablate, TheFigureOfParameters) {
  const TinyAblation tiny;
  const auto result = snapcube(tiny.call("parameters --rows sasm,sigma-0,rounds-1,lambda-0 --json", "--crop 128", 1));
  // Scenes and mask are smaller than the crop that σ = 0.5 needs with windows of 16: all rows fail, and are named.
  EXPECT_EQ(result.code, 1) << result.output;
  expect_contains(result.output, "no table, because rows failed: CST-M, σ = 0, R = 1, λ = 0");
  Cube cube = random_cube(4, 128, 128, 4);
  cube.wavelengths = {500, 520, 540, 560};
  for (const char* name : {"s1", "s2", "s3"}) write(cube, tiny.folder / ("scenes/" + std::string(name) + ".hdr"));
  write_mask(random_mask(128, 128, MaskKind::binary, 0.5, 1), tiny.folder / "mask.npy");
  const auto again = snapcube(tiny.call("parameters --rows sasm,sigma-0,rounds-1,lambda-0 --json -q", "--crop 128", 1));
  ASSERT_EQ(again.code, 0) << again.output;
  const auto json = nlohmann::json::parse(again.output);
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[1]["title"], "σ = 0");
  EXPECT_GT(json[1]["counted_by_paper"], json[0]["counted_by_paper"]);
  EXPECT_GT(json[0]["psnr"].get<double>(), 0);
  const std::string figure = file_content(tiny.folder / "out/parameters.svg");
  for (const char* symbol : {">σ</text>", ">R</text>", ">λ</text>"}) expect_contains(figure, symbol);
  EXPECT_FALSE(contains(figure, ">M</text>"));  // only one value of it was trained
}

}  // namespace
}  // namespace snapcube::testing
