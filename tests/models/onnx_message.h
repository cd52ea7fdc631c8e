#pragma once
// ONNX files, read back by the format's description.

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace snapcube::testing {

/// The fields of a protocol buffer message, read back by the format's description.
class Message {
 public:
  explicit Message(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = varint(bytes);
      const int field = static_cast<int>(key >> 3);
      switch (key & 7) {
        case 0:
          integers_[field].push_back(static_cast<std::int64_t>(varint(bytes)));
          break;
        case 2: {
          const std::uint64_t length = varint(bytes);
          texts_[field].push_back(bytes.substr(0, length));
          bytes.remove_prefix(length);
          break;
        }
        default:
          bytes.remove_prefix(4);
      }
    }
  }
  std::vector<std::string_view> texts(int field) const { return texts_.contains(field) ? texts_.at(field) : empty_; }
  std::string_view text(int field) const { return texts_.at(field).at(0); }
  std::int64_t integer(int field) const { return integers_.at(field).at(0); }
  std::vector<std::int64_t> integers(int field) const {
    return integers_.contains(field) ? integers_.at(field) : std::vector<std::int64_t>{};
  }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(0));
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::map<int, std::vector<std::int64_t>> integers_;
  std::map<int, std::vector<std::string_view>> texts_;
  std::vector<std::string_view> empty_;
};

/// Every value of a graph is made before it is used, and once; so in the bodies of loops, which see what is outside.
/// Returns the operations.
inline std::multiset<std::string> check_nodes(const Message& graph, std::set<std::string_view> known) {
  std::multiset<std::string> operations;
  for (const std::string_view bytes : graph.texts(1)) {
    const Message node(bytes);
    operations.emplace(node.text(4));
    for (const std::string_view input : node.texts(1)) {
      EXPECT_TRUE(input.empty() || known.contains(input)) << input;
    }
    for (const std::string_view attribute_bytes : node.texts(5)) {
      const Message attribute(attribute_bytes);
      for (const std::string_view body_bytes : attribute.texts(6)) {
        const Message body(body_bytes);
        std::set<std::string_view> inside = known;
        for (const std::string_view input : body.texts(11)) inside.insert(Message(input).text(1));
        operations.merge(check_nodes(body, inside));
        for (const std::string_view output : body.texts(12)) {
          bool made = false;
          for (const std::string_view inner : body.texts(1)) {
            for (const std::string_view name : Message(inner).texts(2)) made |= name == Message(output).text(1);
          }
          EXPECT_TRUE(made) << Message(output).text(1);
        }
      }
    }
    for (const std::string_view output : node.texts(2)) EXPECT_TRUE(known.insert(output).second) << output;
  }
  for (const std::string_view output : graph.texts(12)) {
    EXPECT_TRUE(known.contains(Message(output).text(1))) << Message(output).text(1);
  }
  return operations;
}

}  // namespace snapcube::testing
