#include "commands/terminal_abilities.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"

namespace snapcube {

namespace {

constexpr int kPatienceMs = 200;
constexpr std::size_t kLongestAnswer = 256;

/// The terminal without echo and line buffering while it lives.
class RawTerminal {
 public:
  explicit RawTerminal(int file) : file_(file), raw_(::tcgetattr(file, &before_) == 0) {
    if (!raw_) return;
    termios changed = before_;
    changed.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(file, TCSANOW, &changed);
  }
  ~RawTerminal() {
    if (raw_) ::tcsetattr(file_, TCSANOW, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  int file_;
  termios before_{};
  bool raw_;
};

/// "\x1b[?62;4;22c" → "62;4;22"
std::string device_attributes(int file) {
  const RawTerminal raw(file);
  constexpr std::string_view kQuestion = "\x1b[c";
  if (::write(file, kQuestion.data(), kQuestion.size()) != static_cast<ssize_t>(kQuestion.size())) return {};
  std::string answer;
  pollfd entry{file, POLLIN, 0};
  while (answer.size() < kLongestAnswer && !answer.ends_with('c') && ::poll(&entry, 1, kPatienceMs) > 0) {
    char c = 0;
    if (::read(file, &c, 1) != 1) break;
    answer += c;
  }
  const auto start = answer.find("\x1b[?");
  if (start == std::string::npos || !answer.ends_with('c')) return {};
  return answer.substr(start + 3, answer.size() - start - 4);
}

bool knows_sixels() {
  const int file = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  const std::string attributes = device_attributes(file);
  ::close(file);
  for (const std::string& attribute : split(attributes, ';')) {
    if (attribute == "4") return true;
  }
  return false;
}

bool knows_true_colour() {
  const char* value = std::getenv("COLORTERM");
  const std::string_view text = value ? value : "";
  return text == "truecolor" || text == "24bit";
}

}  // namespace

TerminalAbilities terminal_abilities() {
  TerminalAbilities abilities;
  abilities.true_colour = knows_true_colour();
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return abilities;
  abilities.columns = size.ws_col;
  abilities.rows = size.ws_row;
  if (size.ws_xpixel > 0 && size.ws_ypixel > 0 && size.ws_row > 0) {
    abilities.cell_width = size.ws_xpixel / size.ws_col;
    abilities.cell_height = size.ws_ypixel / size.ws_row;
  }
  abilities.sixel = knows_sixels();
  return abilities;
}

}  // namespace snapcube
