#include "io/mat5_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <utility>

#include <snapcube/error.h>

namespace snapcube::io {

Mat5Stream::Mat5Stream(std::span<const std::byte> bytes, bool compressed, std::string source)
    : bytes_(bytes), compressed_(compressed), source_(std::move(source)) {
  if (compressed_ && inflateInit(&inflater_) != Z_OK) throw std::bad_alloc();
}

Mat5Stream::~Mat5Stream() {
  if (compressed_) inflateEnd(&inflater_);
}

std::size_t Mat5Stream::read_some(std::span<std::byte> target) {
  if (!compressed_) {
    const std::size_t count = std::min(target.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, target.begin());
    bytes_ = bytes_.subspan(count);
    return count;
  }
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  std::size_t done = 0;
  while (done < target.size() && !ended_) {
    const auto offered = static_cast<uInt>(std::min(bytes_.size(), kMost));
    const auto wanted = static_cast<uInt>(std::min(target.size() - done, kMost));
    inflater_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes_.data()));
    inflater_.avail_in = offered;
    inflater_.next_out = reinterpret_cast<Bytef*>(target.data() + done);
    inflater_.avail_out = wanted;
    const int status = inflate(&inflater_, Z_NO_FLUSH);
    bytes_ = bytes_.subspan(offered - inflater_.avail_in);
    done += wanted - inflater_.avail_out;
    ended_ = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR) break;  // no more input
    if (status != Z_OK && status != Z_STREAM_END) {
      throw InputError(source_, "compressed data", "a sound zlib stream",
                       inflater_.msg ? inflater_.msg : "a damaged one");
    }
  }
  return done;
}

void Mat5Stream::read(std::span<std::byte> target) {
  const std::size_t got = read_some(target);
  if (got < target.size()) {
    throw InputError(source_, "variable", fmt::format("{} more bytes", target.size()),
                     fmt::format("{} (the file is cut or damaged)", got));
  }
}

void Mat5Stream::skip(std::size_t count) {
  std::array<std::byte, 8> buffer;
  read(std::span(buffer).first(count));
}

void Mat5Stream::skip_padding(std::size_t count) {
  std::array<std::byte, 8> buffer;
  read_some(std::span(buffer).first(count));
}

bool Mat5Stream::could_hold(std::uint64_t count) const {
  constexpr std::uint64_t kBestRatio = 1032;
  // What zlib has taken in and not yet given out is less than its window.
  constexpr std::uint64_t kWindow = 65536;
  return compressed_ ? count / kBestRatio <= bytes_.size() + kWindow / kBestRatio + 1 : count <= bytes_.size();
}

void Mat5Stream::finish() {
  // Elements are padded to eight bytes; one byte more makes a compressed stream verify its
  // checksum.
  std::array<std::byte, 8> padding;
  const std::size_t got = read_some(padding);
  if (got == padding.size() || (compressed_ && !ended_)) {
    throw InputError(source_, "variable", "its end after the data",
                     got == padding.size() ? "more bytes" : "the file's end in the compressed data");
  }
}

}  // namespace snapcube::io
