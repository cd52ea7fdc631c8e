#include "io/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/half.h"
#include "io/input_file.h"
#include "pattern.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

/// The views point into `text`.
Safetensors parse(const std::string& text) { return parse_safetensors(std::as_bytes(std::span(text)), "w"); }

std::string refusal(const std::string& text) {
  return error_of<InputError>([&] { parse(text); });
}

std::string text_of(const Safetensors& content) {
  const std::vector<std::byte> bytes = safetensors_file(content);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const TensorView& find(const Safetensors& content, const std::string& name) {
  const auto found = std::ranges::find(content.tensors, name, &TensorView::name);
  if (found == content.tensors.end()) throw std::runtime_error("no tensor " + name);
  return *found;
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

/// "1,1,1"
std::string ones(int count) {
  std::string text = "1";
  for (int i = 1; i < count; ++i) text += ",1";
  return text;
}

TEST(Safetensors, ReadsAForeignFile) {
  const std::vector<std::byte> file = InputFile(io_file("foreign.safetensors")).rest(0, 10'000);
  const Safetensors content = parse_safetensors(file, "foreign");
  ASSERT_EQ(content.tensors.size(), 9u);
  EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"format", "np"}, {"note", "é\"\\\n"}}));
  using Shape = std::vector<std::int64_t>;
  const std::tuple<const char*, TensorType, Shape> expected[] = {
      {"b.single", TensorType::f32, {2, 3}},
      {"c.half", TensorType::f16, {7}},
      {"d.brain", TensorType::bf16, {5}},
      {"e.empty", TensorType::f64, {0, 4}},
  };
  for (const auto& [name, type, shape] : expected) {
    const TensorView& tensor = find(content, name);
    EXPECT_EQ(tensor.type, type) << name;
    EXPECT_EQ(tensor.shape, shape) << name;
    const FloatBuffer values = floats_of(tensor, "foreign");
    ASSERT_EQ(values.size(), tensor.bytes.size() / tensor_element_size(type));
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], (static_cast<float>(i) - 3) / 4) << name;
  }
  EXPECT_EQ(floats_of(find(content, "f.scalar"), "foreign"), FloatBuffer{0.1f});
  EXPECT_TRUE(find(content, "f.scalar").shape.empty());
  EXPECT_EQ(find(content, "a.bool").bytes.size(), 3u);
  EXPECT_EQ(find(content, "g.i64").bytes.size(), 16u);
  EXPECT_EQ(find(content, "h.i8").shape, (Shape{2, 1}));
  EXPECT_EQ(find(content, "grün ∀ 🌲").type, TensorType::i16);
  EXPECT_EQ(error_of<InputError>([&] { floats_of(find(content, "g.i64"), "foreign"); }),
            "foreign: tensor 'g.i64': expected F64, F32, F16 or BF16, found I64");
}

TEST(Safetensors, WritesTheKnownBytes) {
  const std::vector<float> six = {0, 1, 2, 3, 4, 5};
  const auto bytes = std::as_bytes(std::span(six));
  EXPECT_EQ(text_of({{{"ab", TensorType::f32, {1, 2, 3}, bytes}}, {}}),
            file_of(R"({"ab":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}}    )",
                    {reinterpret_cast<const char*>(six.data()), 24}));
  EXPECT_EQ(text_of({}), file_of("{}      ", ""));
  // Largest alignment first, then names; a scalar; what JSON must escape.
  EXPECT_EQ(text_of({{{"b", TensorType::u8, {1}, bytes.subspan(7, 1)},
                      {"z", TensorType::bf16, {}, bytes.subspan(6, 2)},
                      {"y", TensorType::f16, {1}, bytes.subspan(10, 2)},
                      {"c", TensorType::f64, {0}, {}},
                      {"a\"é", TensorType::bf16, {1, 1}, bytes.subspan(14, 2)}},
                     {{"k", "v\n"}, {"j", "{\"bands\":28}"}}}),
            file_of(R"({"__metadata__":{"j":"{\"bands\":28}","k":"v\n"},)"
                    R"("c":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},)"
                    R"("a\"é":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]},)"
                    R"("z":{"dtype":"BF16","shape":[],"data_offsets":[2,4]},)"
                    R"("y":{"dtype":"F16","shape":[1],"data_offsets":[4,6]},)"
                    R"("b":{"dtype":"U8","shape":[1],"data_offsets":[6,7]}})",
                    std::string("\x40\x40\x80\x3F\0\x40\x3F", 7)));
}

TEST(Safetensors, RewritesToTheSameBytes) {
  const std::string foreign = file_content(io_file("foreign.safetensors"));
  Safetensors content = parse(foreign);
  const std::string ours = text_of(content);
  EXPECT_EQ(text_of(parse(ours)), ours);
  std::ranges::reverse(content.tensors);
  EXPECT_EQ(text_of(content), ours);
  EXPECT_EQ((ours.size() - 8 - 24 - 14 - 10 - 8 - 16 - 2 - 2 - 3) % 8, 0u);  // the elements start at a multiple of 8
}

TEST(Safetensors, RefusesToWriteNonsense) {
  const float one_value = 1;
  const auto bytes = std::as_bytes(std::span(&one_value, 1));
  EXPECT_THROW(text_of({{{"a", TensorType::f32, {2}, bytes}}, {}}), std::logic_error);
  EXPECT_THROW(text_of({{{"a", TensorType::f32, {-1, -1}, bytes}}, {}}), std::logic_error);
  EXPECT_THROW(text_of({{{"__metadata__", TensorType::f32, {1}, bytes}}, {}}), std::logic_error);
  EXPECT_THROW(text_of({{{"a", TensorType::f32, {1}, bytes}, {"a", TensorType::i32, {1}, bytes}}, {}}),
               std::logic_error);
}

TEST(Safetensors, RefusesEveryTruncationAndEveryAddition) {
  const std::string whole = file_content(io_file("foreign.safetensors"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse(whole.substr(0, length)), InputError) << length;
  }
  EXPECT_EQ(refusal(whole + "x"), "w: expected 79 bytes of elements, as the tensors take, found 80");
}

TEST(Safetensors, SurvivesEveryChangedByte) {
  const std::string whole =
      file_of(R"({"__metadata__":{"k":"v"},"x":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}})", "abcd");
  ASSERT_NO_THROW(parse(whole));
  for (std::size_t i = 0; i + 4 < whole.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      try {
        for (const TensorView& tensor : parse(changed).tensors) EXPECT_EQ(tensor.bytes.size(), 4u);
      } catch (const InputError&) {
      }
    }
  }
}

TEST(Safetensors, ChecksTheLengthOfTheHeader) {
  EXPECT_EQ(refusal("1234567"), "w: header: expected a length of 8 bytes, found a file of 7");
  EXPECT_EQ(refusal(std::string(8, '\xFF')), "w: header: expected at most 100000000 bytes, found 18446744073709551615");
  EXPECT_EQ(refusal(std::string("\x01\xE1\xF5\x05\0\0\0\0", 8) + "{}"),
            "w: header: expected at most 100000000 bytes, found 100000001");
  EXPECT_EQ(refusal(std::string("\x03\0\0\0\0\0\0\0{}", 10)), "w: header: expected 3 bytes, as announced, found 2");
}

TEST(Safetensors, ChecksTheHeader) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "'{' at its start"},
      {" {}", "'{' at its start"},
      {"\xEF\xBB\xBF{}", "'{' at its start"},
      {"[]", "'{' at its start"},
      {"{", "JSON in UTF-8, found an error at byte 2"},
      {"{} {}", "JSON in UTF-8"},
      {std::string("{}\0", 3), "JSON in UTF-8, found an error at byte 3"},
      {std::string("{}\0{", 4), "JSON in UTF-8, found an error at byte 3"},
      {"{\"\xFF\":{}}", "JSON in UTF-8"},
      {"{\"\xC0\x80\":{}}", "JSON in UTF-8"},
      {R"({"\ud800":{}})", "JSON in UTF-8"},
      {"{} // end", "JSON in UTF-8"},
      {R"({"x":1})", "tensor 'x': expected an object, found 1"},
      {R"({"x":[]})", "tensor 'x': expected an object, found an array"},
      {R"({"x":null})", "tensor 'x': expected an object, found null"},
      {R"({"x":{}})", "tensor 'x': expected the keys dtype, shape and data_offsets, found no dtype"},
      {R"({"x":{"dtype":"U8","shape":[0]}})", "found no data_offsets"},
      {R"({"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1}})", "found 'more'"},
      {R"({"x":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", "every key once, found 'dtype' twice"},
      {R"({"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       "header: expected every key once, found 'x' twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", "every key once, found '__metadata__' twice"},
      {R"({"__metadata__":{"a":"1","a":"2"}})", "metadata: expected every key once, found 'a' twice"},
      {R"({"__metadata__":null})", "metadata: expected an object, found null"},
      {R"({"__metadata__":"text"})", "metadata: expected an object, found the text 'text'"},
      {R"({"__metadata__":{"a":1}})", "metadata 'a': expected a text, found 1"},
      {R"({"__metadata__":{"a":{"b":"c"}}})", "metadata 'a': expected a text, found an object"},
      {one("F8_E4M3", "[0]", "[0,0]"),
       "tensor 'x': expected dtype F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL, "
       "found 'F8_E4M3'"},
      {one("U16", "[0]", "[0,0]"), "found 'U16'"},
      {one("f32", "[0]", "[0,0]"), "found 'f32'"},
      {R"({"x":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})", "expected dtype F64"},
      {one("U8", "[-1]", "[0,0]"), "shape as an array of sizes, found -1"},
      {one("U8", "[1.0]", "[0,0]"), "shape as an array of sizes, found 1.0"},
      {one("U8", "[1e0]", "[0,0]"), "shape as an array of sizes, found 1e0"},
      {one("U8", "[true]", "[0,0]"), "shape as an array of sizes, found true"},
      {one("U8", "[[1]]", "[0,0]"), "shape as an array of sizes, found an array"},
      {one("U8", "1", "[0,0]"), "shape as an array of sizes, found 1"},
      {one("U8", "[9223372036854775808]", "[0,0]"), "found 9223372036854775808"},
      {one("U8", "[18446744073709551616]", "[0,0]"), "found 18446744073709551616"},
      {one("U8", "[" + ones(65) + "]", "[0,0]"), "at most 64 dimensions"},
      {one("U8", "[0]", "[0]"), "data_offsets as two numbers of bytes, found 1 numbers"},
      {one("U8", "[0]", "[0,0,0]"), "data_offsets as two numbers of bytes, found a third number"},
      {one("U8", "[0]", "[0,-1]"), "data_offsets as two numbers of bytes, found -1"},
      {one("U8", "[0]", "[\"0\",0]"), "data_offsets as two numbers of bytes, found the text '0'"},
      {one("U8", "[0]", "0"), "data_offsets as two numbers of bytes, found 0"},
      {std::string(1000, '[').replace(0, 5, R"({"x":)"), "tensor 'x': expected an object, found an array"},
  };
  for (const auto& [header, part] : cases) expect_contains(refusal(file_of(header, "")), part);
}

TEST(Safetensors, ChecksWhereTheElementsAre) {
  const auto two = [](const char* a, const char* b) {
    return file_of(std::string(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)") + a +
                       R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}",
                   "1234");
  };
  EXPECT_NO_THROW(parse(file_of(one("U8", "[" + ones(64) + "]", "[0,1]"), "x")));
  EXPECT_NO_THROW(parse(two("[0,2]", "[2,4]")));
  EXPECT_NO_THROW(parse(two("[2,4]", "[0,2]")));
  EXPECT_EQ(
      refusal(two("[0,2]", "[1,3]")),
      "w: tensor 'b': expected its elements at byte 2, where the tensor before it ends, found an overlap at byte 1");
  EXPECT_EQ(
      refusal(two("[0,2]", "[0,2]")),
      "w: tensor 'b': expected its elements at byte 2, where the tensor before it ends, found an overlap at byte 0");
  const auto single = [](const std::string& header, std::size_t bytes) {
    return refusal(file_of(header, std::string(bytes, 'x')));
  };
  expect_contains(single(one("U8", "[2]", "[1,3]"), 3), "expected its elements at byte 0");
  expect_contains(single(one("U8", "[2]", "[1,3]"), 3), "found a hole at byte 1");
  expect_contains(single(one("U8", "[2]", "[0,2]"), 3), "expected 2 bytes of elements, as the tensors take, found 3");
  expect_contains(single("{}", 1), "expected 0 bytes of elements, as the tensors take, found 1");
  const char* inside = "expected data_offsets inside the 2 bytes of elements, the smaller one first, found ";
  expect_contains(single(one("U8", "[3]", "[0,3]"), 2), inside + std::string("0 and 3"));
  expect_contains(single(one("U8", "[2]", "[2,0]"), 2), inside + std::string("2 and 0"));
  expect_contains(single(one("U8", "[2]", "[18446744073709551614,0]"), 2), inside);
  expect_contains(single(one("U8", "[2]", "[0,18446744073709551615]"), 2), inside);
  expect_contains(single(one("F32", "[1,2]", "[0,4]"), 4), "tensor 'x': expected 8 bytes for 1×2 of F32, found 4");
  expect_contains(single(one("F64", "[]", "[0,4]"), 4), "expected 8 bytes for a single value of F64, found 4");
  expect_contains(single(one("U8", "[0]", "[0,4]"), 4), "expected 0 bytes for 0 of U8, found 4");
  // 2^62 · 4 and (2^32 + 1)² wrap to 0 and to something small in 64 bits.
  expect_contains(single(one("F32", "[4611686018427387904]", "[0,0]"), 0), "expected too many bytes");
  expect_contains(single(one("U8", "[4294967296,4294967296,4]", "[0,0]"), 0), "expected too many bytes");
}

TEST(Safetensors, NamesInMessagesAreTame) {
  EXPECT_EQ(quoted_name("a\x1B[2J\nb\x7F"), "'a?[2J?b?'");
  EXPECT_EQ(quoted_name(std::string(201, 'a')), "'" + std::string(200, 'a') + "…'");
  EXPECT_EQ(quoted_name(std::string(199, 'a') + "éa"), "'" + std::string(199, 'a') + "…'");
}

TEST(Half, EveryHalfSurvives) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_half(half_from_float(value))));
    } else {
      ASSERT_EQ(half_from_float(value), half);
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  // Between every two neighbours: the middle goes to the even one, its neighbours to the near one.
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const float upper = high == 0x7C00 ? 65536.0f : float_from_half(high);
    const float middle = (float_from_half(low) + upper) / 2;
    ASSERT_EQ(half_from_float(middle), bits % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(half_from_float(std::nextafter(middle, 0.0f)), low) << bits;
    ASSERT_EQ(half_from_float(std::nextafter(middle, 1e9f)), high) << bits;
    ASSERT_EQ(half_from_float(-middle), half_from_float(middle) | 0x8000) << bits;
  }
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(half_from_float(-0.0f), 0x8000);
  EXPECT_EQ(half_from_float(1.0f), 0x3C00);
  EXPECT_EQ(half_from_float(65504.0f), 0x7BFF);
}

TEST(Half, BrainFloats) {
  EXPECT_EQ(float_from_bfloat(0x3F80), 1.0f);
  EXPECT_EQ(float_from_bfloat(0xC049), -3.140625f);
  EXPECT_TRUE(std::isinf(float_from_bfloat(0x7F80)));
}

}  // namespace
}  // namespace snapcube
