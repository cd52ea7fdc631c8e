#include "io/rehearse.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

constexpr unsigned kMostSeconds = 60;

/// A child that dies does so quietly and soon, whatever handlers the program has.
void prepare_to_die() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGALRM}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::alarm(kMostSeconds);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

void rehearse(const std::string& path, const std::string& expected, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) return;  // no room for another process: the work goes on unrehearsed
  if (child == 0) {
    prepare_to_die();
    try {
      work();
    } catch (...) {  // the caller will see it
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return;  // a program that ignores its children is not told about them
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw InputError(path, "", expected, "a damaged file, on which its library crashes or does not end");
  }
}

}  // namespace snapcube
