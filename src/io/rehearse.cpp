#include "io/rehearse.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube::io {

namespace {

constexpr unsigned kMostSeconds = 60;
constexpr std::size_t kLongestMessage = 4096;  // what a pipe takes at once

enum ExitCode { kDone = 0, kRefused = 3, kTooLarge = 4 };

/// Bytes of private memory that this process has now; nothing where the system does not tell.
std::uint64_t private_memory() {
  std::array<char, 256> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  unsigned long long pages = 0;
  if (length <= 0 || std::sscanf(text.data(), "%*u %*u %*u %*u %*u %llu", &pages) != 1) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit_memory(std::uint64_t max_bytes) {
  const std::uint64_t now = private_memory();
  if (now == 0 || max_bytes > std::numeric_limits<std::uint64_t>::max() - now) return;
  const rlimit limit{now + max_bytes, now + max_bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// A child that dies does so quietly and soon, whatever handlers the program has.
void prepare_to_die(std::uint64_t max_bytes) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGALRM}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  limit_memory(max_bytes);
  ::alarm(kMostSeconds);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void be_the_child(int report, std::uint64_t max_bytes, const std::function<void()>& work) {
  prepare_to_die(max_bytes);
  try {
    work();
  } catch (const InputError& error) {
    const std::size_t length = std::min(std::strlen(error.what()), kLongestMessage);
    ::_exit(::write(report, error.what(), length) == static_cast<ssize_t>(length) ? kRefused : kDone);
  } catch (const std::bad_alloc&) {
    ::_exit(kTooLarge);
  } catch (...) {  // the caller will see it
  }
  ::_exit(kDone);
}

}  // namespace

void rehearse(const std::string& path, const std::string& expected, std::uint64_t max_bytes,
              const std::function<void()>& work) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return;
  const pid_t child = ::fork();
  if (child == 0) be_the_child(pipe[1], max_bytes, work);
  ::close(pipe[1]);
  std::array<char, kLongestMessage> message;  // nothing may be allocated while the pipe is open
  int status = 0;
  bool told = child > 0;  // no room for another process: the work goes on unrehearsed
  while (told && ::waitpid(child, &status, 0) < 0) told = errno == EINTR;  // not so if the program ignores its children
  const ssize_t length = told ? ::read(pipe[0], message.data(), message.size()) : 0;
  ::close(pipe[0]);
  if (!told || (WIFEXITED(status) && WEXITSTATUS(status) == kDone)) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused && length > 0) {
    throw InputError(std::string(message.data(), static_cast<std::size_t>(length)));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kTooLarge) {
    throw InputError(path, "", fmt::format("at most {} bytes (the limit for reading)", max_bytes), "more");
  }
  throw InputError(path, "", expected, "a damaged file that makes the library crash or hang");
}

}  // namespace snapcube::io
