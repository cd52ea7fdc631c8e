#pragma once
// Three steps of many pieces of work at the same time: while one is computed, the next is read and the last is written.

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <thread>

#include "base/channel.h"

namespace snapcube {

/// For i = 0 … count−1 in order: read(i, item) on a thread of its own, compute(i, item) on this one, write(i, item) on
/// a third. Each item is used again when it was written, so that as many are in memory as `items` has.
///
/// An exception that leaves a step ends the work: nothing more is read or computed, what was computed is still written,
/// and the exception goes on (of several that of write, then compute). A single piece of work needs no threads.
template <typename Item, typename Read, typename Compute, typename Write>
void overlap(std::size_t count, std::span<Item> items, Read&& read, Compute&& compute, Write&& write) {
  if (count == 1) {
    read(std::size_t{0}, items.front());
    compute(std::size_t{0}, items.front());
    write(std::size_t{0}, items.front());
    return;
  }
  struct Piece {
    std::size_t number;
    Item* item;
  };
  Channel<Item*> free;
  Channel<Piece> waiting;
  Channel<Piece> computed;
  for (Item& item : items) free.push(&item);
  std::array<std::exception_ptr, 3> errors;

  std::thread reader([&] {
    try {
      for (std::size_t i = 0; i < count; ++i) {
        const auto item = free.pop();
        if (!item) break;
        read(i, **item);
        if (!waiting.push({i, *item})) break;
      }
    } catch (...) {
      errors[2] = std::current_exception();
    }
    waiting.close();
  });
  std::thread writer([&] {
    try {
      while (const auto piece = computed.pop()) {
        write(piece->number, *piece->item);
        free.push(piece->item);
      }
    } catch (...) {
      errors[0] = std::current_exception();
      computed.cancel();
      waiting.cancel();
      free.cancel();
    }
  });
  try {
    while (const auto piece = waiting.pop()) {
      compute(piece->number, *piece->item);
      if (!computed.push(*piece)) break;
    }
  } catch (...) {
    errors[1] = std::current_exception();
  }
  waiting.cancel();
  free.cancel();
  computed.close();
  reader.join();
  writer.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace snapcube
