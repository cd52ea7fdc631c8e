#include "models/pth_pickle.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include <snapcube/error.h>

#include "models/pth_calls.h"

namespace snapcube {

namespace {

constexpr std::size_t kLongestName = 500;

/// The instructions; protocols 2 to 5. Those of protocols 0 and 1 (numbers as text), sets, objects of classes and
/// buffers outside the pickle are missing on purpose.
enum Instruction : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kBinFloat = 'G',
  kEmptyList = ']',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kProtocol = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTrue = 0x88,
  kFalse = 0x89,
  kLong1 = 0x8A,
  kLong4 = 0x8B,
  kShortBinUnicode = 0x8C,
  kBinUnicode8 = 0x8D,
  kBinBytes8 = 0x8E,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& source, PthObjects& objects)
      : bytes_(bytes), source_(source), objects_(objects) {}

  PickleResult run() {
    while (true) {
      start_ = at_;
      const auto instruction = static_cast<std::uint8_t>(unsigned_number(1));
      if (instruction == kStop) break;
      execute(instruction);
    }
    if (stack_.size() != 1 || !marks_.empty()) refuse("one object left at its end", fmt::format("{}", stack_.size()));
    return {stack_.back(), at_};
  }

 private:
  void execute(std::uint8_t instruction) {
    switch (instruction) {
      case kProtocol:
        if (const std::uint64_t version = unsigned_number(1); version < 2 || version > 5) {
          refuse("protocol 2 to 5", fmt::format("{}", version));
        }
        return;
      case kFrame:
        take(8);
        return;
      case kNone:
        return push({});
      case kTrue:
      case kFalse:
        return push({ObjectKind::boolean, instruction == kTrue, {}, {}});
      case kBinInt1:
        return push_integer(static_cast<std::int64_t>(unsigned_number(1)));
      case kBinInt2:
        return push_integer(static_cast<std::int64_t>(unsigned_number(2)));
      case kBinInt:
        return push_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(unsigned_number(4))));
      case kLong1:
        return push_long(take(unsigned_number(1)));
      case kLong4:
        return push_long(take(unsigned_number(4)));
      case kBinFloat:
        take(8);
        return push({ObjectKind::number, 0, {}, {}});
      case kShortBinUnicode:
      case kShortBinString:
        return push({ObjectKind::text, 0, take(unsigned_number(1)), {}});
      case kBinUnicode:
      case kBinString:
        return push({ObjectKind::text, 0, take(unsigned_number(4)), {}});
      case kBinUnicode8:
        return push({ObjectKind::text, 0, take(unsigned_number(8)), {}});
      case kShortBinBytes:
        return push({ObjectKind::bytes, 0, take(unsigned_number(1)), {}});
      case kBinBytes:
        return push({ObjectKind::bytes, 0, take(unsigned_number(4)), {}});
      case kBinBytes8:
        return push({ObjectKind::bytes, 0, take(unsigned_number(8)), {}});
      default:
        return execute_with_stack(instruction);
    }
  }

  void execute_with_stack(std::uint8_t instruction) {
    switch (instruction) {
      case kMark:
        // Marks cost nothing on the stack, but they are instructions: they are counted as objects are.
        check_room(marks_.size());
        return marks_.push_back(stack_.size());
      case kEmptyTuple:
        return push({ObjectKind::tuple, 0, {}, {}});
      case kEmptyList:
        return push({ObjectKind::list, 0, {}, {}});
      case kEmptyDict:
        return push({ObjectKind::dict, 0, {}, {}});
      case kTuple1:
      case kTuple2:
      case kTuple3:
        return push({ObjectKind::tuple, 0, {}, pop(instruction - kTuple1 + 1u)});
      case kTuple:
        return push({ObjectKind::tuple, 0, {}, pop_to_mark()});
      case kAppend:
        return extend(ObjectKind::list, pop(1));
      case kAppends:
        return extend(ObjectKind::list, pop_to_mark());
      case kSetItem:
        return extend(ObjectKind::dict, pop(2));
      case kSetItems:
        return extend(ObjectKind::dict, pop_to_mark());
      case kBinPut:
        return remember(unsigned_number(1));
      case kLongBinPut:
        return remember(unsigned_number(4));
      case kMemoize:
        return remember(memo_.size());
      case kBinGet:
        return recall(unsigned_number(1));
      case kLongBinGet:
        return recall(unsigned_number(4));
      case kGlobal: {
        const std::string_view module = take_line();
        return push_global(module, take_line());
      }
      case kStackGlobal: {
        const std::vector<ObjectId> names = pop(2);
        if (!std::ranges::all_of(names, [&](ObjectId id) { return objects_[id].kind == ObjectKind::text; })) {
          refuse("the texts of a name", "something else");
        }
        return push_global(objects_[names[0]].text, objects_[names[1]].text);
      }
      case kReduce:
        return reduce();
      case kBuild:
        return build();
      case kBinPersId: {
        const ObjectId id = pop(1)[0];
        return push(persistent_storage(objects_[id], source_, objects_));
      }
      default:
        refuse("instructions for plain data", fmt::format("instruction 0x{:02x}{}", instruction, meaning(instruction)));
    }
  }

  /// What makes the instructions that people meet.
  static std::string_view meaning(std::uint8_t instruction) {
    switch (instruction) {
      case 0x81:
      case 0x92:
      case 'i':
      case 'o':
        return ", which makes an object of a class: this is no state_dict";
      case 0x82:
      case 0x83:
      case 0x84:
        return ", which asks for a registered extension";
      case 0x97:
      case 0x98:
        return ", which asks for data outside the file";
      default:
        return "";
    }
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw InputError(source_, fmt::format("pickle, byte {}", start_), expected, found);
  }

  // The bytes.

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      refuse(fmt::format("{} more bytes", count), fmt::format("the end after {}", bytes_.size() - at_));
    }
    const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
    at_ += count;
    return taken;
  }

  std::uint64_t unsigned_number(std::size_t count) {
    std::uint64_t value = 0;
    const std::string_view digits = take(count);
    for (std::size_t i = 0; i < count; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(digits[i])) << (8 * i);
    }
    return value;
  }

  std::string_view take_line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                std::min(bytes_.size() - at_, kLongestName));
    const std::size_t length = rest.find('\n');
    if (length == rest.npos) refuse("a name that ends", "none");
    at_ += length + 1;
    return rest.substr(0, length);
  }

  // The stack and the memory.

  void check_room(std::size_t made) const {
    if (made >= kMaxPickledObjects) refuse(fmt::format("at most {} objects", kMaxPickledObjects), "more");
  }

  void push(PickledObject object) {
    check_room(objects_.all.size());
    objects_.all.push_back(std::move(object));
    stack_.push_back(static_cast<ObjectId>(objects_.all.size() - 1));
  }

  void push_integer(std::int64_t value) { push({ObjectKind::integer, value, {}, {}}); }

  /// Two's complement, the lowest byte first.
  void push_long(std::string_view digits) {
    if (digits.size() > sizeof(std::int64_t)) return push({ObjectKind::long_integer, 0, digits, {}});
    std::uint64_t value = !digits.empty() && (digits.back() & 0x80) ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), digits.size());
    push_integer(static_cast<std::int64_t>(value));
  }

  /// Where the objects that may be taken begin: behind the last mark.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::vector<ObjectId> pop(std::size_t count) {
    if (stack_.size() - floor() < count) refuse(fmt::format("{} objects on the stack", count), "fewer");
    std::vector<ObjectId> taken(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return taken;
  }

  std::vector<ObjectId> pop_to_mark() {
    if (marks_.empty()) refuse("a mark on the stack", "none");
    std::vector<ObjectId> taken = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return taken;
  }

  PickledObject& top() {
    if (stack_.size() == floor()) refuse("an object on the stack", "none");
    return objects_[stack_.back()];
  }

  void extend(ObjectKind kind, const std::vector<ObjectId>& items) {
    PickledObject& container = top();
    if (container.kind != kind) {
      refuse(fmt::format("{} to add to", kind_text(kind)), std::string(kind_text(container.kind)));
    }
    if (kind == ObjectKind::dict && items.size() % 2 != 0) refuse("a value for each key", "an odd number of objects");
    check_room(items_ += items.size());
    container.items.insert(container.items.end(), items.begin(), items.end());
  }

  void remember(std::uint64_t place) {
    top();
    check_room(memo_.size());
    memo_[place] = stack_.back();
  }

  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("an object that was remembered", fmt::format("none at {}", place));
    check_room(stack_.size());
    stack_.push_back(found->second);
  }

  // Names and calls.

  void push_global(std::string_view module, std::string_view name) {
    push({ObjectKind::global, 0, known_global(fmt::format("{}.{}", module, name), source_), {}});
  }

  void reduce() {
    const std::vector<ObjectId> parts = pop(2);
    const PickledObject& function = objects_[parts[0]];
    const PickledObject& arguments = objects_[parts[1]];
    if (function.kind != ObjectKind::global) refuse("a name to call", std::string(kind_text(function.kind)));
    if (arguments.kind != ObjectKind::tuple) refuse("a tuple of arguments", std::string(kind_text(arguments.kind)));
    // A dict made from a list of pairs has as many items again.
    for (const ObjectId id : arguments.items) check_room(items_ += objects_[id].items.size());
    push(call_global(function.text, arguments.items, source_, objects_));
  }

  /// A state_dict carries the versions of its modules as an attribute, which nobody needs.
  void build() {
    pop(1);
    if (top().kind != ObjectKind::dict) refuse("attributes of a dict", std::string(kind_text(top().kind)));
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  PthObjects& objects_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  ///< of the instruction
  std::size_t items_ = 0;  ///< in all lists and dicts
  std::vector<ObjectId> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, ObjectId> memo_;
};

}  // namespace

PickleResult run_pickle(std::span<const std::byte> bytes, const std::string& source, PthObjects& objects) {
  return PickleMachine(bytes, source, objects).run();
}

}  // namespace snapcube
