#pragma once
// The head of an HTTP request, judged before a library parses it.

#include <cstddef>
#include <string>
#include <string_view>

namespace snapcube {

inline constexpr std::size_t kMostHeadBytes = 8192;

struct Head {
  /// 0 if the request may pass; else the status to answer with, after which the connection ends.
  int refusal = 0;
  /// The request line, Host, Connection and Content-Length: nothing else goes on.
  std::string kept;
};

/// `raw` ends with the empty line. `host` and "localhost" with `port` are the names a request may call us by: a page of
/// another site that made its own name point to this machine is refused (403). Bodies are refused too (413): no
/// request has one. Ranges, cookies, encodings never reach the library.
Head judge_head(std::string_view raw, int port);

}  // namespace snapcube
