#pragma once
// What a torch pickle can make here: plain data, and descriptions of storages and tensors. Objects lie in one list and
// name each other by their place in it, so that neither depth nor cycles matter to anybody who owns them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"

namespace snapcube {

using ObjectId = std::uint32_t;

enum class ObjectKind : std::uint8_t {
  none,
  boolean,
  integer,
  long_integer,  ///< beyond 64 bits; its bytes are the text
  number,
  text,
  bytes,
  tuple,
  list,
  dict,    ///< key, value, key, value, …
  global,  ///< a name that the pickle asks for, "collections.OrderedDict"
  storage,
  tensor,
};

/// "a list", for messages.
std::string_view kind_text(ObjectKind kind);

struct PickledObject {
  ObjectKind kind = ObjectKind::none;
  std::int64_t integer = 0;  ///< a boolean's and an integer's value; a storage's and a tensor's place in their lists
  std::string_view text;     ///< points into the pickle; a global's lives for ever
  std::vector<ObjectId> items;
};

/// Part of a file's storage: `count` elements from `offset` on, of `total`.
struct PthStorage {
  TensorType type = TensorType::f32;
  std::string_view key;
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

/// Element (i, j, …) is the storage's element offset + i·stride[0] + j·stride[1] + …; all of them lie inside it.
struct PthTensor {
  PthStorage storage;
  std::uint64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;
};

struct PthObjects {
  std::vector<PickledObject> all;
  std::vector<PthStorage> storages;
  std::vector<PthTensor> tensors;

  const PickledObject& operator[](ObjectId id) const { return all[id]; }
  PickledObject& operator[](ObjectId id) { return all[id]; }
};

}  // namespace snapcube
