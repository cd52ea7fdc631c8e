#pragma once
// A machine for pickles that executes nothing: it knows the instructions for plain data, and of names those that
// rebuild tensors. Everything else is refused, with the name that was asked for.

#include <cstddef>
#include <span>
#include <string>

#include "models/pth_objects.h"

namespace snapcube {

struct PickleResult {
  ObjectId root;
  std::size_t length;  ///< of the pickle; other bytes may follow
};

/// No pickle may make more objects than this; a network of a thousand tensors makes about 40,000.
constexpr std::size_t kMaxPickledObjects = 1'000'000;

/// Runs one pickle from the start of `bytes` and adds its objects to `objects`; their texts point into `bytes`.
PickleResult run_pickle(std::span<const std::byte> bytes, const std::string& source, PthObjects& objects);

}  // namespace snapcube
