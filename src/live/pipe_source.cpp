#include "live/pipe_source.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube::live {

std::string numbered_name(std::int64_t number) { return fmt::format("frame {}", number); }

std::optional<std::int64_t> number_of(const Frame& frame) {
  constexpr std::string_view kWord = "frame ";
  if (!frame.path.empty() || !frame.name.starts_with(kWord)) return std::nullopt;
  return parse_int(std::string_view(frame.name).substr(kWord.size()));
}

PipeSource::PipeSource(int file, const RawLayout& layout, std::int64_t first)
    : file_(file), layout_(layout), number_(first) {}

bool PipeSource::wait(std::chrono::milliseconds most, std::vector<Frame>& arrived) {
  pollfd entry{file_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(most.count())) <= 0) return true;
  if (bytes_.empty()) bytes_.resize(layout_.frame_bytes());
  const ssize_t n = ::read(file_, bytes_.data() + have_, bytes_.size() - have_);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n < 0) throw Error(fmt::format("the pipe cannot be read: {}", std::strerror(errno)));
  Frame frame{.name = numbered_name(number_), .path = {}};
  frame.arrived = Clock::now();
  if (n == 0) {
    if (have_ > 0) {
      frame.problem = fmt::format("the pipe ended after {} of its {} bytes", have_, bytes_.size());
      arrived.push_back(std::move(frame));
    }
    return false;
  }
  have_ += static_cast<std::size_t>(n);
  if (have_ == bytes_.size()) {
    frame.layout = layout_;
    frame.bytes = std::exchange(bytes_, {});
    have_ = 0;
    ++number_;
    arrived.push_back(std::move(frame));
  }
  return true;
}

}  // namespace snapcube::live
