#include "commands/browser.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapcube {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

/// In the child: starts a grandchild, which nobody has to wait for, and tells by the exit code whether that worked.
[[noreturn]] void start_detached(const char* address) {
  if (::setsid() < 0) ::_exit(1);
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0) ::_exit(1);
  const pid_t grandchild = ::fork();
  if (grandchild < 0) ::_exit(1);
  if (grandchild == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream) ::dup2(nothing, stream);
    ::execlp("xdg-open", "xdg-open", address, static_cast<char*>(nullptr));
    const char failed = 1;
    [[maybe_unused]] const ssize_t written = ::write(failure[1], &failed, 1);
    ::_exit(1);
  }
  ::close(failure[1]);
  char failed = 0;
  ::_exit(::read(failure[0], &failed, 1) == 0 ? 0 : 1);  // closed by a successful exec
}

}  // namespace

bool open_browser(const std::string& address) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) start_detached(address.c_str());
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace snapcube
