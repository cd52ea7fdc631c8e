#pragma once
// The viewer's server on loopback.

#include <memory>
#include <string>

#include "serve/site.h"

namespace snapcube {

class Server {
 public:
  /// Listens on 127.0.0.1 and answers in threads of its own. Port 0: any that is free. Throws Error if the port is
  /// taken. The site must outlive it.
  Server(Site& site, int port);
  /// Stops: connections end, threads are joined.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// "http://127.0.0.1:41234/TOKEN/"
  std::string address() const;

 private:
  friend std::string exchange(Site& site, const std::string& raw, int port);
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// What a connection that sends `raw` gets back; no sockets are involved. For tests and the fuzzer.
std::string exchange(Site& site, const std::string& raw, int port);

}  // namespace snapcube
