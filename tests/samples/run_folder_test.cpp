#include "samples/run_folder.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <snapcube/error.h>

#include "samples/config_file.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::ordered_json line(int step) { return {{"step", step}, {"loss", 0.5}}; }

TEST(RunFolder, ANewRunHasItsConfiguration) {
  const testing::TemporaryFolder folder;
  TrainConfig config;
  config.steps = 40;
  const RunFolder run = RunFolder::create(folder / "runs/a", config);
  EXPECT_EQ(read_config(run.config_file().string()), config);
  EXPECT_TRUE(std::filesystem::is_directory(run.checkpoints()));
  EXPECT_TRUE(std::filesystem::is_directory(run.previews()));
}

TEST(RunFolder, RefusesAFolderThatIsNotEmpty) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "thesis.tex") << "years of work";
  const std::string message = error_of<InputError>([&] { RunFolder::create(folder.path(), {}); });
  EXPECT_EQ(message,
            folder.path().string() +
                ": run: expected a new or empty folder (--resume goes on with a run), found 'thesis.tex' in it");
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
  EXPECT_NE(error_of<InputError>([&] { RunFolder::create(folder / "thesis.tex", {}); }).find("found a file"),
            std::string::npos);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NO_THROW(RunFolder::create(folder / "empty", {}));
  EXPECT_THROW(RunFolder::create(folder / "empty", {}), InputError);
}

TEST(RunFolder, OpensOnlyARun) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(error_of<InputError>([&] { RunFolder::open(folder / "nothing"); }).find("config.toml"), std::string::npos);
  EXPECT_NE(error_of<InputError>([&] { RunFolder::open(folder.path()); }).find("config.toml"), std::string::npos);
  { const RunFolder run = RunFolder::create(folder / "run", {}); }
  EXPECT_NO_THROW(RunFolder::open(folder / "run"));
}

TEST(RunFolder, OneProcessAtATime) {
  const testing::TemporaryFolder folder;
  { const RunFolder run = RunFolder::create(folder / "run", {}); }
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunFolder run = RunFolder::open(folder / "run");
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char told = 0;
  ASSERT_EQ(::read(ready[0], &told, 1), 1);
  EXPECT_EQ(error_of<InputError>([&] { RunFolder::open(folder / "run"); }),
            (folder / "run") + ": another process is training in it");
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_NO_THROW(RunFolder::open(folder / "run")) << "the lock dies with its process";
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(RunFolder, LogIsCutAtTheResumedStep) {
  const testing::TemporaryFolder folder;
  {
    RunFolder run = RunFolder::create(folder / "run", {});
    run.rewind_log(0);  // nothing there yet
    for (const int step : {10, 20, 20, 30, 40}) run.log(line(step));
  }
  RunFolder run = RunFolder::open(folder / "run");
  const std::string whole = text_of(run.log_file());
  run.rewind_log(40);
  EXPECT_EQ(text_of(run.log_file()), whole);
  run.rewind_log(25);
  run.log(line(30));
  EXPECT_EQ(text_of(run.log_file()),
            "{\"step\":10,\"loss\":0.5}\n{\"step\":20,\"loss\":0.5}\n{\"step\":20,\"loss\":0.5}\n"
            "{\"step\":30,\"loss\":0.5}\n");
}

TEST(RunFolder, ALineThatWasNotFinishedIsDropped) {
  const testing::TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder / "run", {});
  run.log(line(10));
  const std::string good = text_of(run.log_file());
  for (const char* rest : {"{\"step\":11,\"lo", "{\"step\":11}", "\n", "[1]\n", "{\"step\":\"x\"}\n", "\xFF\xFE\n"}) {
    std::ofstream(run.log_file(), std::ios::app | std::ios::binary) << rest;
    run.rewind_log(100);
    EXPECT_EQ(text_of(run.log_file()), good) << rest;
  }
}

}  // namespace
}  // namespace snapcube
