#include "serve/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <snapcube/error.h>

#include "serve/head.h"

namespace snapcube {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A connection may wait this long between requests, and a request's head may take this long to arrive.
constexpr auto kIdle = 30s;
constexpr auto kHeadTime = 5s;
constexpr auto kWriteTime = 10s;
constexpr std::size_t kThreads = 12;

/// What the page may load and do: its own files and this server, nothing else; no frames, no forms.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The two ends of a connection, for the library: a head that was read before, and a way to write.
class Exchange : public httplib::Stream {
 public:
  using Write = std::function<ssize_t(const char*, std::size_t)>;
  Exchange(std::string head, Write write) : head_(std::move(head)), write_(std::move(write)) {}

  bool is_readable() const override { return position_ < head_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t n = std::min(size, head_.size() - position_);
    std::copy_n(head_.data() + position_, n, to);
    position_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, std::size_t size) override { return write_(from, size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string head_;
  std::size_t position_ = 0;
  Write write_;
};

/// Waits until the socket is ready or `until` has come.
bool wait_for(int socket, short events, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  if (left <= 0) return false;
  pollfd entry{socket, events, 0};
  return ::poll(&entry, 1, static_cast<int>(left)) > 0;
}

ssize_t send_all(int socket, const char* from, std::size_t size) {
  const Clock::time_point until = Clock::now() + kWriteTime;
  std::size_t sent = 0;
  while (sent < size) {
    if (!wait_for(socket, POLLOUT, until)) return -1;
    const ssize_t n = ::send(socket, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return -1;
    sent += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(size);
}

std::string refusal(int status) {
  return fmt::format("HTTP/1.1 {} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status);
}

}  // namespace

/// cpp-httplib with its reading of sockets replaced: a head is read with limits on size and time, judged, and only
/// then parsed.
class Server::Implementation : public httplib::Server {
 public:
  explicit Implementation(Site& site) : site_(site) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Without the library's SO_REUSEPORT, with which two viewers could share a port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_default_headers({{"Content-Security-Policy", kPolicy},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}});
    // Every request that the library could parse comes here.
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const bool head = request.method == "HEAD";
      const Answer answer = site_.answer(head ? "GET" : request.method, request.target);
      response.status = answer.status;
      response.set_content(answer.body, answer.type);
      return HandlerResponse::Handled;
    });
  }

  /// Hands a judged head to the library. False if the connection is to be closed.
  bool respond(const std::string& head, bool last, const Exchange::Write& write) {
    Exchange stream(head, write);
    bool closed = false;
    return process_request(stream, last, closed, nullptr) && !closed;
  }

  void run(int port) {
    port_ = port;
    thread_ = std::thread([this] { listen_after_bind(); });
    while (!is_running()) std::this_thread::sleep_for(1ms);
  }

  void end() {
    stopping_ = true;
    site_.stop();
    stop();
    if (thread_.joinable()) thread_.join();
  }

  int port() const { return port_; }
  Site& site() { return site_; }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const auto write = [socket](const char* from, std::size_t size) { return send_all(socket, from, size); };
    std::string buffer;
    while (auto raw = read_head(socket, buffer)) {
      const Head head = judge_head(*raw, port_);
      if (head.refusal) {
        const std::string text = refusal(head.refusal);
        write(text.data(), text.size());
        break;
      }
      if (!respond(head.kept, stopping_, write)) break;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  /// The next head, with its empty line; what comes after it stays in the buffer. A head that is too long is returned
  /// as far as it came. Nothing when the connection ends, is idle for too long, or the head takes too long.
  std::optional<std::string> read_head(int socket, std::string& buffer) {
    Clock::time_point until = Clock::now() + (buffer.empty() ? kIdle : kHeadTime);
    while (true) {
      const auto end = buffer.find("\r\n\r\n");
      if (end != std::string::npos || buffer.size() > kMostHeadBytes) {
        const std::size_t length = end == std::string::npos ? buffer.size() : end + 4;
        std::string head = buffer.substr(0, length);
        buffer.erase(0, length);
        return head;
      }
      if (stopping_ || Clock::now() >= until) return std::nullopt;
      if (!wait_for(socket, POLLIN, std::min(until, Clock::now() + 100ms))) continue;
      std::array<char, 4096> chunk{};
      const ssize_t n = ::recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n <= 0) return std::nullopt;
      if (buffer.empty()) until = Clock::now() + kHeadTime;
      buffer.append(chunk.data(), static_cast<std::size_t>(n));
    }
  }

  Site& site_;
  std::atomic<bool> stopping_ = false;
  int port_ = 0;
  std::thread thread_;
};

Server::Server(Site& site, int port) : implementation_(std::make_unique<Implementation>(site)) {
  const int bound = port == 0                                          ? implementation_->bind_to_any_port("127.0.0.1")
                    : implementation_->bind_to_port("127.0.0.1", port) ? port
                                                                       : -1;
  if (bound <= 0) throw Error(fmt::format("cannot listen on port {} of 127.0.0.1: is it in use?", port));
  implementation_->run(bound);
}

Server::~Server() { implementation_->end(); }

int Server::port() const { return implementation_->port(); }

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port(), implementation_->site().token());
}

std::string exchange(Site& site, const std::string& raw, int port) {
  const auto end = raw.find("\r\n\r\n");
  const Head head = judge_head(end == std::string::npos ? raw : raw.substr(0, end + 4), port);
  if (head.refusal) return refusal(head.refusal);
  std::string output;
  Server::Implementation(site).respond(head.kept, true, [&](const char* from, std::size_t size) {
    output.append(from, size);
    return static_cast<ssize_t>(size);
  });
  return output;
}

}  // namespace snapcube
