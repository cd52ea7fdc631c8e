#pragma once
// What the viewer's server answers, without the sockets: a request line in, a status and bytes out. Nothing here opens
// a file; the page's own files are part of the program.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "serve/gallery.h"
#include "serve/target.h"

namespace snapcube {

struct Answer {
  int status = 200;
  std::string type = {};
  std::string body = {};
};

/// 128 random bits in hexadecimal.
std::string random_token();

class Site {
 public:
  /// The gallery must outlive it.
  Site(Gallery& gallery, std::string token) : gallery_(gallery), token_(std::move(token)) {}

  const std::string& token() const { return token_; }

  /// `method` is GET or POST, `target` what follows it in the request line. Never throws; what is asked wrongly gets a
  /// status of 4xx and a sentence, without the token always 403 and nothing else.
  Answer answer(std::string_view method, std::string_view target);

  /// From now on long computations end with 503.
  void stop() { stopping_ = true; }

 private:
  Answer route(std::string_view method, const Target& target);
  Answer about() const;
  Answer news(const Target& target);
  Answer tile(const Target& target);
  Answer range(const Target& target);
  Answer spectrum(const Target& target);
  Answer scores(const Target& target);
  Answer reconstruct(const Target& target);

  Gallery& gallery_;
  std::string token_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> waiting_ = 0;  ///< requests for news
};

}  // namespace snapcube
