#pragma once
// `snapcube watch` as a process that runs beside the test, and its JSON lines.

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support.h"

namespace snapcube::testing {

class Watcher {
 public:
  /// `arguments` after "snapcube watch"; --json is added. input: the end of a pipe that becomes its standard input.
  explicit Watcher(std::vector<std::string> arguments, int input = -1) {
    arguments.insert(arguments.begin(), {SNAPCUBE_PROGRAM, "watch", "--json"});
    std::vector<char*> words;
    for (std::string& a : arguments) words.push_back(a.data());
    words.push_back(nullptr);
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      if (input >= 0) ::dup2(input, STDIN_FILENO);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Watcher() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// The next line; a null value when the program has ended or nothing came for so long.
  nlohmann::json next(std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
      const auto end = text_.find('\n');
      if (end != std::string::npos) {
        const std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return nlohmann::json::parse(line);
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      pollfd entry{out_, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) <= 0) return {};
      char buffer[4096];
      const ssize_t n = ::read(out_, buffer, sizeof buffer);
      if (n <= 0) return {};
      text_.append(buffer, static_cast<std::size_t>(n));
    }
  }
  /// The next line of this kind. Others that come before are passed over.
  nlohmann::json next(const std::string& event) {
    while (true) {
      nlohmann::json line = next();
      if (line.is_null() || line["event"] == event) return line;
    }
  }

  void signal(int number) { ::kill(child_, number); }
  /// Ctrl-C (or another signal, or none); gives the exit code.
  int stop(int number = SIGINT) {
    if (number > 0) signal(number);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// What it said on standard error; after it has ended.
  std::string errors() {
    std::string all;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(err_, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }

 private:
  pid_t child_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string text_;
};

}  // namespace snapcube::testing
