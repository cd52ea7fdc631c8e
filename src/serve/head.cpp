#include "serve/head.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace snapcube {

namespace {

constexpr int kMostLines = 64;
constexpr std::string_view kLineEnd = "\r\n";

bool printable(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; });
}

Head refused(int status) { return {status, {}}; }

/// "GET /target HTTP/1.1", one space between.
bool is_request_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  return target.starts_with('/') && target.find(' ') == std::string_view::npos &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

}  // namespace

Head judge_head(std::string_view raw, int port) {
  if (raw.size() > kMostHeadBytes || !raw.ends_with("\r\n\r\n")) return refused(431);
  raw.remove_suffix(kLineEnd.size());
  Head head;
  int lines = 0;
  int hosts = 0;
  while (!raw.empty()) {
    const std::string_view line = raw.substr(0, raw.find(kLineEnd));
    raw.remove_prefix(line.size() + kLineEnd.size());
    if (++lines > kMostLines) return refused(431);
    if (lines == 1) {
      if (!printable(line) || !is_request_line(line)) return refused(400);
      const std::string_view method = line.substr(0, line.find(' '));
      if (method != "GET" && method != "HEAD" && method != "POST") return refused(405);
      head.kept = fmt::format("{}\r\n", line);
      continue;
    }
    const auto colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return refused(400);
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "host") {
      if (++hosts > 1) return refused(400);
      if (value != fmt::format("127.0.0.1:{}", port) && value != fmt::format("localhost:{}", port)) return refused(403);
    } else if (name == "transfer-encoding" || name == "expect") {
      return refused(413);
    } else if (name == "content-length") {
      if (value != "0") return refused(413);
    } else if (name != "connection") {
      continue;
    }
    if (!printable(line)) return refused(400);
    head.kept += fmt::format("{}: {}\r\n", name, value);
  }
  if (lines == 0) return refused(400);
  if (hosts == 0) return refused(400);
  head.kept += kLineEnd;
  return head;
}

}  // namespace snapcube
