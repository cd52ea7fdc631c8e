#include "commands/run_self.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snapcube/error.h>

#include "base/rank_variables.h"
#include "commands/exit_code.h"
#include "commands/interrupt.h"

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
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody would wait for it
    forget_rank_variables();
    ::dup2(channel[1], STDOUT_FILENO);
    ::close(channel[0]);
    ::close(channel[1]);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(channel[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  bool told = false;
  for (;;) {
    constexpr int kMilliseconds = 200;
    pollfd waited{channel[0], POLLIN, 0};
    if (::poll(&waited, 1, kMilliseconds) <= 0) {
      // Ctrl-C reaches the child by itself; a signal for this process alone does not.
      if (interrupted() && !told) told = ::kill(child, SIGTERM) == 0;
      continue;
    }
    const ssize_t n = ::read(channel[0], buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(channel[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitInterrupted) throw Interrupted();
  throw Error(fmt::format("`snapcube {}` failed", arguments.empty() ? "" : arguments.front()));
}

}  // namespace snapcube
