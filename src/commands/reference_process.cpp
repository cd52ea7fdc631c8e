#include "commands/reference_process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "commands/external.h"

extern char** environ;

namespace snapcube {

namespace {

constexpr const char* kProgram = "snapcube-train";

/// What a tuned libtorch runs with: as many threads, and a malloc that keeps its pages.
std::vector<std::string> tuned_environment(int threads) {
  const std::vector<std::pair<std::string, std::string>> own = {
      {"OMP_NUM_THREADS", std::to_string(threads)},    {"OPENBLAS_NUM_THREADS", std::to_string(threads)},
      {"MALLOC_MMAP_THRESHOLD_", "8000000000"},        {"MALLOC_TRIM_THRESHOLD_", "16000000000"},
      {"MALLOC_TOP_PAD_", std::to_string(256l << 20)},
  };
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : own) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : own) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& t : texts) result.push_back(t.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

ReferenceProcess::ReferenceProcess(const std::string& model, int size, int threads, std::uint64_t seed) {
  const auto program = find_program(kProgram);
  if (!program) {
    throw Error(
        fmt::format("--against torch needs the program {}, which is neither beside this one nor in PATH", kProgram));
  }
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  if (::pipe2(out.data(), O_CLOEXEC) != 0) {
    ::close(in[0]);
    ::close(in[1]);
    throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  std::vector<std::string> arguments = {program->string(), "bench-reference",    "--model",   model,
                                        "--size",          std::to_string(size), "--threads", std::to_string(threads),
                                        "--seed",          std::to_string(seed)};
  std::vector<std::string> environment = tuned_environment(threads);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int error = ::posix_spawn(&child_, program->c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  if (error != 0) {
    child_ = -1;
    fail(std::strerror(error));
  }
  const std::string line = read_line();
  if (line != "ready") fail(fmt::format("said '{}' in place of 'ready'", line));
}

ReferenceProcess::~ReferenceProcess() {
  if (to_child_ >= 0) ::close(to_child_);  // the end of its input ends it
  if (from_child_ >= 0) ::close(from_child_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

void ReferenceProcess::fail(const std::string& what) {
  // A destructor does not run for an object that was never complete.
  for (int* end : {&to_child_, &from_child_}) {
    if (*end >= 0) ::close(std::exchange(*end, -1));
  }
  if (child_ > 0) ::waitpid(std::exchange(child_, -1), nullptr, 0);
  throw Error(fmt::format("{} bench-reference: {}", kProgram, what));
}

std::string ReferenceProcess::read_line() {
  for (;;) {
    const auto end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    std::array<char, 256> buffer{};
    const ssize_t n = ::read(from_child_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("ended unexpectedly");
    pending_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

double ReferenceProcess::run() {
  constexpr std::string_view kRun = "run\n";
  if (::write(to_child_, kRun.data(), kRun.size()) != static_cast<ssize_t>(kRun.size())) fail("does not listen");
  const std::string line = read_line();
  const auto seconds = parse_double(line);
  if (!seconds || !(*seconds > 0)) fail(fmt::format("said '{}' in place of a time", line));
  return *seconds;
}

}  // namespace snapcube
