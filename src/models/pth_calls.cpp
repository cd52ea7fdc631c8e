#include "models/pth_calls.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

constexpr std::size_t kMaxRank = 16;
constexpr std::size_t kMaxTensors = 100'000;

/// Storages of old files name the device too.
constexpr std::array<std::pair<std::string_view, TensorType>, 20> kStorages = {{
    {"torch.FloatStorage", TensorType::f32},     {"torch.cuda.FloatStorage", TensorType::f32},
    {"torch.DoubleStorage", TensorType::f64},    {"torch.cuda.DoubleStorage", TensorType::f64},
    {"torch.HalfStorage", TensorType::f16},      {"torch.cuda.HalfStorage", TensorType::f16},
    {"torch.BFloat16Storage", TensorType::bf16}, {"torch.cuda.BFloat16Storage", TensorType::bf16},
    {"torch.LongStorage", TensorType::i64},      {"torch.cuda.LongStorage", TensorType::i64},
    {"torch.IntStorage", TensorType::i32},       {"torch.cuda.IntStorage", TensorType::i32},
    {"torch.ShortStorage", TensorType::i16},     {"torch.cuda.ShortStorage", TensorType::i16},
    {"torch.CharStorage", TensorType::i8},       {"torch.cuda.CharStorage", TensorType::i8},
    {"torch.ByteStorage", TensorType::u8},       {"torch.cuda.ByteStorage", TensorType::u8},
    {"torch.BoolStorage", TensorType::boolean},  {"torch.cuda.BoolStorage", TensorType::boolean},
}};

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor";
constexpr std::string_view kRebuildTensor2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::array kFunctions = {kOrderedDict, kRebuildTensor, kRebuildTensor2, kRebuildParameter};

/// Takes arguments apart and refuses those of another kind.
class Arguments {
 public:
  Arguments(std::string_view function, std::span<const ObjectId> ids, const std::string& source,
            const PthObjects& objects)
      : function_(function), ids_(ids), source_(source), objects_(objects) {}

  const PickledObject& get(std::size_t i, ObjectKind kind) const {
    if (i >= ids_.size()) refuse(fmt::format("at least {} arguments", i + 1), fmt::format("{}", ids_.size()));
    const PickledObject& object = objects_[ids_[i]];
    if (object.kind != kind) {
      refuse(fmt::format("{} as argument {}", kind_text(kind), i + 1), std::string(kind_text(object.kind)));
    }
    return object;
  }

  std::uint64_t count(std::size_t i) const {
    const std::int64_t value = get(i, ObjectKind::integer).integer;
    if (value < 0) refuse(fmt::format("a number of at least 0 as argument {}", i + 1), fmt::format("{}", value));
    return static_cast<std::uint64_t>(value);
  }

  /// Sizes or strides.
  std::vector<std::int64_t> counts(std::size_t i) const {
    const Arguments inner(function_, get(i, ObjectKind::tuple).items, source_, objects_);
    if (inner.ids_.size() > kMaxRank) {
      refuse(fmt::format("at most {} dimensions", kMaxRank), fmt::format("{}", inner.ids_.size()));
    }
    std::vector<std::int64_t> values;
    for (std::size_t k = 0; k < inner.ids_.size(); ++k) values.push_back(static_cast<std::int64_t>(inner.count(k)));
    return values;
  }

  void expect(std::size_t least, std::size_t most) const {
    if (ids_.size() < least || ids_.size() > most) {
      refuse(least == most ? fmt::format("{} arguments", least) : fmt::format("{} to {} arguments", least, most),
             fmt::format("{}", ids_.size()));
    }
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw InputError(source_, std::string(function_), expected, found);
  }

 private:
  std::string_view function_;
  std::span<const ObjectId> ids_;
  const std::string& source_;
  const PthObjects& objects_;
};

/// The place of the last element behind the first; nothing when that is beyond 64 bits.
std::optional<std::uint64_t> reach(const PthTensor& tensor) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    std::uint64_t step = 0;
    const auto extent = static_cast<std::uint64_t>(tensor.shape[i]);
    if (__builtin_mul_overflow(extent - 1, static_cast<std::uint64_t>(tensor.stride[i]), &step) ||
        __builtin_add_overflow(last, step, &last)) {
      return std::nullopt;
    }
  }
  return last;
}

void check_inside(const PthTensor& tensor, const Arguments& arguments) {
  for (const std::int64_t extent : tensor.shape) {
    if (extent == 0) return;  // no elements, anywhere
  }
  const std::optional<std::uint64_t> last = reach(tensor);
  const std::uint64_t count = tensor.storage.count;
  if (!last || tensor.offset >= count || *last >= count - tensor.offset) {
    arguments.refuse(fmt::format("elements inside the storage's {}", count),
                     fmt::format("{} from element {} on, with strides of {}", shape_text(tensor.shape), tensor.offset,
                                 shape_text(tensor.stride)));
  }
}

PickledObject rebuild_tensor(const Arguments& arguments, PthObjects& objects) {
  if (objects.tensors.size() >= kMaxTensors) {
    arguments.refuse(fmt::format("at most {} tensors", kMaxTensors), "more");
  }
  PthTensor tensor;
  tensor.storage = objects.storages[static_cast<std::size_t>(arguments.get(0, ObjectKind::storage).integer)];
  tensor.offset = arguments.count(1);
  tensor.shape = arguments.counts(2);
  tensor.stride = arguments.counts(3);
  if (tensor.shape.size() != tensor.stride.size()) {
    arguments.refuse(fmt::format("{} strides for {}", tensor.shape.size(), shape_text(tensor.shape)),
                     fmt::format("{}", tensor.stride.size()));
  }
  check_inside(tensor, arguments);
  objects.tensors.push_back(std::move(tensor));
  return {ObjectKind::tensor, static_cast<std::int64_t>(objects.tensors.size() - 1), {}, {}};
}

/// OrderedDict(), or OrderedDict([[key, value], …]) as Python 2 wrote it.
PickledObject ordered_dict(const Arguments& arguments, std::size_t count, const PthObjects& objects) {
  arguments.expect(0, 1);
  PickledObject dict{ObjectKind::dict, 0, {}, {}};
  if (count == 0) return dict;
  for (const ObjectId id : arguments.get(0, ObjectKind::list).items) {
    const PickledObject& pair = objects[id];
    if ((pair.kind != ObjectKind::list && pair.kind != ObjectKind::tuple) || pair.items.size() != 2) {
      arguments.refuse("pairs of key and value", "something else");
    }
    dict.items.insert(dict.items.end(), pair.items.begin(), pair.items.end());
  }
  return dict;
}

}  // namespace

std::string_view kind_text(ObjectKind kind) {
  constexpr std::array<std::string_view, 13> kTexts = {"None",   "a bool",    "a number", "a number", "a number",
                                                       "a text", "bytes",     "a tuple",  "a list",   "a dict",
                                                       "a name", "a storage", "a tensor"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string_view known_global(std::string_view name, const std::string& source) {
  for (const std::string_view known : kFunctions) {
    if (name == known) return known;
  }
  for (const auto& [known, type] : kStorages) {
    if (name == known) return known;
  }
  throw InputError(
      source, "pickle", "a state_dict: tensors by name, nothing that has to be run",
      fmt::format(
          "a request for {}; in Python, torch.save(model.state_dict(), 'new.pth') makes a file that can be read",
          quoted_name(name)));
}

PickledObject call_global(std::string_view name, std::span<const ObjectId> ids, const std::string& source,
                          PthObjects& objects) {
  const Arguments arguments(name, ids, source, objects);
  if (name == kOrderedDict) return ordered_dict(arguments, ids.size(), objects);
  if (name == kRebuildTensor) {
    arguments.expect(4, 4);
    return rebuild_tensor(arguments, objects);
  }
  if (name == kRebuildTensor2) {
    // … requires_grad, hooks, and in new files metadata; nobody needs them.
    arguments.expect(6, 7);
    return rebuild_tensor(arguments, objects);
  }
  if (name == kRebuildParameter) {
    arguments.expect(3, 3);
    return arguments.get(0, ObjectKind::tensor);
  }
  arguments.refuse("a function that rebuilds tensors", "a call of this name");
}

/// ("storage", type, key, device, count), and in the older format a view: None or (key, offset, count).
PickledObject persistent_storage(const PickledObject& id, const std::string& source, PthObjects& objects) {
  if (id.kind != ObjectKind::tuple) {
    throw InputError(source, "storage", "a tuple that describes it", std::string(kind_text(id.kind)));
  }
  const Arguments parts("storage", id.items, source, objects);
  if (const std::string_view what = parts.get(0, ObjectKind::text).text; what != "storage") {
    const bool module = what == "module";
    parts.refuse("'storage'", module ? "'module': a whole model; in Python, torch.save(model.state_dict(), 'new.pth') "
                                       "makes a file that can be read"
                                     : quoted_name(what));
  }
  parts.expect(5, 6);
  PthStorage storage;
  const std::string_view type_name = parts.get(1, ObjectKind::global).text;
  bool known = false;
  for (const auto& [name, type] : kStorages) {
    if (name != type_name) continue;
    storage.type = type;
    known = true;
  }
  if (!known) parts.refuse("the type of a storage", quoted_name(type_name));
  storage.key = parts.get(2, ObjectKind::text).text;
  storage.total = storage.count = parts.count(4);
  if (storage.total > std::uint64_t{1} << 48) parts.refuse("fewer elements", fmt::format("{}", storage.total));
  if (id.items.size() == 6 && objects[id.items[5]].kind != ObjectKind::none) {
    const Arguments view("storage view", parts.get(5, ObjectKind::tuple).items, source, objects);
    view.expect(3, 3);
    storage.offset = view.count(1);
    storage.count = view.count(2);
    if (storage.offset > storage.total || storage.count > storage.total - storage.offset) {
      view.refuse(fmt::format("a part of {} elements", storage.total),
                  fmt::format("{} from element {} on", storage.count, storage.offset));
    }
  }
  if (objects.storages.size() >= kMaxTensors) parts.refuse(fmt::format("at most {} storages", kMaxTensors), "more");
  objects.storages.push_back(storage);
  return {ObjectKind::storage, static_cast<std::int64_t>(objects.storages.size() - 1), {}, {}};
}

}  // namespace snapcube
