#include "commands/child.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube {

std::string run_self(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/proc/self/exe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> channel{};
  if (::pipe(channel.data()) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    ::dup2(channel[1], STDOUT_FILENO);
    ::close(channel[0]);
    ::close(channel[1]);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(channel[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = ::read(channel[0], buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(channel[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kInterrupted = 130;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kInterrupted) throw Interrupted();
  throw Error(fmt::format("`snapcube {}` failed", arguments.empty() ? "" : arguments.front()));
}

}  // namespace snapcube
