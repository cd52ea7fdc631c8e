#pragma once
// Reading what is left of a file: every beginning of it, every changed byte. Whatever is not an InputError is a
// failure.

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

#include <snapcube/error.h>

#include "io/format.h"
#include "support.h"

namespace snapcube::testing {

/// Calls read(beginning) for the beginnings of `content`, `step` bytes apart. Returns how many were refused with an
/// InputError.
template <typename Read>
std::size_t refused_truncations(const std::string& content, Read&& read, std::size_t step = 1) {
  std::size_t refused = 0;
  for (std::size_t length = 0; length < content.size(); length += step) {
    SCOPED_TRACE(length);
    try {
      read(content.substr(0, length));
    } catch (const InputError&) {
      ++refused;
    }
  }
  return refused;
}

/// Calls read(damaged) for every byte of `content` and every mask of `changes` that it is XORed with. Returns how many
/// were refused with an InputError.
template <typename Read>
std::size_t refused_changes(const std::string& content, Read&& read,
                            std::initializer_list<int> changes = {0x01, 0x80, 0xff}) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    for (const int change : changes) {
      std::string damaged = content;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      SCOPED_TRACE(i);
      try {
        read(damaged);
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  return refused;
}

/// Writes every beginning of `content` to `path` and loads `loaded`. Each is refused or, where what is missing does not
/// matter, gives the same values as the whole. Returns how many were refused.
inline std::size_t load_every_truncation(const io::Format& format, const std::string& path, const std::string& content,
                                         const std::string& loaded) {
  write_file(path, content);
  const io::StoredArray whole = format.load(loaded, "", {});
  return refused_truncations(content, [&](const std::string& beginning) {
    write_file(path, beginning);
    EXPECT_TRUE(format.load(loaded, "", {}).bytes == whole.bytes);
  });
}

/// Changes every byte in turn, in a few ways, and loads.
inline void load_every_change(const io::Format& format, const std::string& path, const std::string& content,
                              const std::string& loaded) {
  ReadOptions options;
  options.max_bytes = 1 << 20;
  refused_changes(content, [&](const std::string& changed) {
    write_file(path, changed);
    format.load(loaded, "", options);
  });
}

}  // namespace snapcube::testing
