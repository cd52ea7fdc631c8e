#include "models/pth.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/half.h"
#include "io/safetensors.h"

namespace snapcube {

namespace {

/// Where checkpoints keep the state_dict; the first that is there counts.
constexpr std::array<std::string_view, 10> kWrappers = {
    "state_dict", "model_state_dict", "model", "params", "params_ema", "net", "network", "weights", "module", "ema"};
/// What parallel, compiled and wrapped models put before every name.
constexpr std::array<std::string_view, 5> kPrefixes = {"module.", "_orig_mod.", "model.", "net.", "network."};
constexpr int kMaxWrappers = 4;
constexpr int kMaxPrefixes = 8;
/// Halves double in memory, tensors may share a storage; more than that is a trick.
constexpr std::uint64_t kMostExpansion = 16;
constexpr std::size_t kNamesInMessages = 10;

const PickledObject* find(const PthObjects& objects, const PickledObject& dict, std::string_view key) {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickledObject& name = objects[dict.items[i]];
    if (name.kind == ObjectKind::text && name.text == key) return &objects[dict.items[i + 1]];
  }
  return nullptr;
}

std::string keys_text(const PthObjects& objects, const PickledObject& dict) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i + 1 < dict.items.size() && keys.size() <= kNamesInMessages; i += 2) {
    const PickledObject& key = objects[dict.items[i]];
    keys.push_back(key.kind == ObjectKind::text ? quoted_name(key.text) : std::string(kind_text(key.kind)));
  }
  if (keys.empty()) return "nothing in it";
  if (keys.size() > kNamesInMessages) keys.back() = "…";
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::uint64_t elements(const std::vector<std::int64_t>& shape, std::uint64_t most) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count) || count > most) return most + 1;
  }
  return count;
}

template <typename Word>
Word load(const std::byte* at, bool reversed) {
  Word word;
  std::memcpy(&word, at, sizeof(Word));
  if (!reversed) return word;
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
}

/// Calls f with the place of every element in the storage, in row-major order.
template <typename F>
void for_each_place(const PthTensor& tensor, F&& f) {
  std::vector<std::int64_t> index(tensor.shape.size(), 0);
  if (std::ranges::count(tensor.shape, 0) > 0) return;
  std::uint64_t place = tensor.storage.offset + tensor.offset;
  while (true) {
    f(place);
    std::size_t axis = index.size();
    while (axis > 0) {
      --axis;
      const auto stride = static_cast<std::uint64_t>(tensor.stride[axis]);
      if (++index[axis] < tensor.shape[axis]) {
        place += stride;
        break;
      }
      place -= stride * static_cast<std::uint64_t>(tensor.shape[axis] - 1);
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (index.empty()) return;
  }
}

template <typename Word, typename Convert>
FloatBuffer gather(const PthTensor& tensor, std::uint64_t count, const StorageBytes& storage, Convert convert) {
  FloatBuffer values;
  values.reserve(count);
  const bool reversed = storage.big_endian != (std::endian::native == std::endian::big);
  for_each_place(tensor, [&](std::uint64_t place) {
    values.push_back(convert(load<Word>(storage.bytes.data() + place * sizeof(Word), reversed)));
  });
  return values;
}

FloatBuffer floats_of(const PthTensor& tensor, std::uint64_t count, const StorageBytes& storage) {
  switch (tensor.storage.type) {
    case TensorType::f64:
      return gather<std::uint64_t>(tensor, count, storage,
                                   [](std::uint64_t v) { return static_cast<float>(std::bit_cast<double>(v)); });
    case TensorType::f16:
      return gather<std::uint16_t>(tensor, count, storage, float_from_half);
    case TensorType::bf16:
      return gather<std::uint16_t>(tensor, count, storage, float_from_bfloat);
    default:  // f32: the others were refused
      return gather<std::uint32_t>(tensor, count, storage, [](std::uint32_t v) { return std::bit_cast<float>(v); });
  }
}

bool is_float(TensorType type) {
  return type == TensorType::f64 || type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

}  // namespace

StateDict::StateDict(std::unique_ptr<PthContainer> file, std::string source, std::uint64_t file_size)
    : file_(std::move(file)), source_(std::move(source)), file_size_(file_size) {
  find_tensors();
  strip_prefixes();
}

void StateDict::find_tensors() {
  const PthObjects& objects = file_->objects();
  const PickledObject* dict = &file_->root();
  std::string path;
  for (int depth = 0; depth < kMaxWrappers && dict->kind == ObjectKind::dict; ++depth) {
    const PickledObject* inner = nullptr;
    for (const std::string_view key : kWrappers) {
      inner = find(objects, *dict, key);
      if (inner && inner->kind == ObjectKind::dict) {
        path += fmt::format("{}{}", path.empty() ? "" : ".", key);
        break;
      }
      inner = nullptr;
    }
    if (!inner) break;
    dict = inner;
  }
  const std::string field = path.empty() ? "" : fmt::format("'{}'", path);
  if (dict->kind != ObjectKind::dict) {
    throw InputError(source_, field, "a state_dict: a dict of tensors by name", std::string(kind_text(dict->kind)));
  }
  std::set<std::string_view> names;
  std::vector<std::string> others;
  for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
    const PickledObject& key = objects[dict->items[i]];
    const PickledObject& value = objects[dict->items[i + 1]];
    if (key.kind != ObjectKind::text) continue;
    if (!names.insert(key.text).second)
      throw InputError(source_, field, "every name once", quoted_name(key.text) + " twice");
    if (value.kind != ObjectKind::tensor) {
      others.push_back(fmt::format("{} ({})", quoted_name(key.text), kind_text(value.kind)));
      continue;
    }
    if (is_batch_counter(key.text)) continue;
    const PthTensor& tensor = objects.tensors[static_cast<std::size_t>(value.integer)];
    shapes_.push_back({std::string(key.text), tensor.shape});
    tensors_.push_back(&tensor);
  }
  if (shapes_.empty()) {
    throw InputError(source_, field, "a state_dict: a dict of tensors by name",
                     fmt::format("a dict of {}", keys_text(objects, *dict)));
  }
  if (!path.empty()) notes_.push_back(fmt::format("The tensors are those of '{}'.", path));
  if (!others.empty()) {
    const std::size_t shown = std::min(others.size(), kNamesInMessages);
    notes_.push_back(fmt::format("Passed over, being no tensors: {}{}.",
                                 fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                                 shown < others.size() ? ", …" : ""));
  }
}

void StateDict::strip_prefixes() {
  std::string stripped;
  for (int i = 0; i < kMaxPrefixes; ++i) {
    const auto prefix = std::ranges::find_if(kPrefixes, [&](std::string_view start) {
      return std::ranges::all_of(shapes_, [&](const auto& p) { return p.name.starts_with(start); });
    });
    if (prefix == kPrefixes.end()) break;
    for (ParameterShape& p : shapes_) p.name.erase(0, prefix->size());
    stripped += *prefix;
  }
  if (!stripped.empty()) notes_.push_back(fmt::format("Names are taken without their prefix '{}'.", stripped));
}

std::vector<NamedTensor> StateDict::read(std::uint64_t max_bytes) const {
  const std::uint64_t expanded = file_size_ > max_bytes / kMostExpansion ? max_bytes : file_size_ * kMostExpansion;
  const std::uint64_t most = expanded / sizeof(float);
  std::uint64_t total = 0;
  std::vector<std::uint64_t> counts;
  std::map<std::string_view, std::vector<std::size_t>> by_storage;  // each is read once
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!is_float(tensors_[i]->storage.type)) {
      throw InputError(source_, "tensor " + quoted_name(shapes_[i].name), "F64, F32, F16 or BF16",
                       std::string(tensor_type_name(tensors_[i]->storage.type)));
    }
    counts.push_back(elements(shapes_[i].shape, most));
    total += counts.back();
    if (total > most) {
      throw InputError(
          source_, "tensors",
          fmt::format("at most {} values (the limit for reading, and for a file of {} bytes)", most, file_size_),
          "more");
    }
    by_storage[tensors_[i]->storage.key].push_back(i);
  }
  check_storages(by_storage, expanded);
  std::vector<NamedTensor> result(tensors_.size());
  for (const auto& [key, places] : by_storage) {
    const StorageBytes storage = file_->read(tensors_[places.front()]->storage);
    for (const std::size_t i : places) {
      result[i] = {shapes_[i].name, shapes_[i].shape, floats_of(*tensors_[i], counts[i], storage)};
    }
  }
  return result;
}

/// Each is of one type and size, and all together are not far larger than the file.
void StateDict::check_storages(const std::map<std::string_view, std::vector<std::size_t>>& by_storage,
                               std::uint64_t most) const {
  std::uint64_t total = 0;
  for (const auto& [key, places] : by_storage) {
    const PthStorage& first = tensors_[places.front()]->storage;
    for (const std::size_t i : places) {
      const PthStorage& other = tensors_[i]->storage;
      if (other.total == first.total && other.type == first.type) continue;
      throw InputError(source_, fmt::format("storage {}", quoted_name(key)), "one type and size", "two");
    }
    total += first.total * tensor_element_size(first.type);  // at most 100,000 times 2⁵¹
    if (total > most) {
      throw InputError(
          source_, "storages",
          fmt::format("at most {} bytes (the limit for reading, and for a file of {} bytes)", most, file_size_),
          "more");
    }
  }
}

bool is_pth(std::span<const std::byte> file) { return is_pth_zip(file) || is_pth_legacy(file); }

StateDict open_pth(std::span<const std::byte> file, const std::string& source, std::uint64_t max_bytes) {
  if (is_pth_zip(file)) return {open_pth_zip(file, source, max_bytes), source, file.size()};
  return {open_pth_legacy(file, source), source, file.size()};
}

}  // namespace snapcube
