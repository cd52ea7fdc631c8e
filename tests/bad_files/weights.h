#pragma once
// Damaged, lying and hostile weights: safetensors, PyTorch.

#include <limits>

#include "bad_files/table.h"
#include "models/cst_parameters.h"
#include "pth_files.h"

namespace snapcube::testing {

inline std::string safetensors(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

inline BadFiles bad_safetensors() {
  const auto file = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.safetensors", content, ReadAs::weights, verdict};
  };
  const auto one = [&](const char* what, const std::string& entry, const std::string& data, const char* verdict) {
    return file(what, safetensors(R"({"a":)" + entry + "}", data), verdict);
  };
  const std::string data(8, '\0');
  const auto configured = [&](const char* what, const std::string& config, const char* verdict) {
    return file(what, safetensors(R"({"__metadata__":{"snapcube":")" + config + R"("}})", ""), verdict);
  };
  return {
      configured("a configuration that drives the terminal", R"({\"variant\":\"\\u001b[31m\",\"bands\":1})",
                 "variant: expected a short name of letters, digits and '-', found '?[31m'"),
      configured("a key that does", R"({\"\\u001b[31m\":1})", "configuration: expected known keys, found '?[31m'"),
      configured("a network of a thousand bands without a tensor", R"({\"variant\":\"tsa-net\",\"bands\":1024})",
                 "494 missing: "),
      configured("a wavelength below 0", R"({\"bands\":1,\"wavelengths\":[-450]})",
                 "wavelengths: expected numbers above 0, found -450"),
      configured("another network's configuration", R"({\"variant\":\"hdnet\",\"blocks\":[1,1,1]})",
                 "configuration: expected one of the keys variant, bands, step, scale, wavelengths, feedback, found "
                 "'blocks'"),
      file("a length alone", little_endian(2, 8),
           "expected weights: safetensors, or a .pth of PyTorch, found something else"),
      file("a header longer than the file", little_endian(1000, 8) + "{}",
           "header: expected 1000 bytes, as announced, found 2"),
      file("a header of 2^63 bytes", little_endian(std::uint64_t{1} << 63, 8) + "{}",
           "header: expected at most 100000000 bytes, found 9223372036854775808"),
      file("no JSON", safetensors("{\"a\":", ""), "header: expected JSON in UTF-8, found an error at byte 6 of it"),
      file("arrays inside each other", safetensors("{\"a\":" + std::string(5000, '['), ""),
           "tensor 'a': expected an object, found an array"),
      file(
          "a key twice",
          safetensors(
              R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
              data),
          "header: expected every key once, found 'a' twice"),
      file(
          "a key twice, once escaped",
          safetensors(
              R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
              data),
          "header: expected every key once, found 'a' twice"),
      file("half of a character for a name", safetensors(R"({"\ud800":{}})", ""), "header: expected JSON in UTF-8"),
      file("a number for metadata", safetensors(R"({"__metadata__":{"a":1}})", ""),
           "metadata 'a': expected a text, found 1"),
      file("no tensors", safetensors("{}", ""), "or all of another network's, found none"),
      file(
          "a hole",
          safetensors(
              R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
              data + "1234"),
          "tensor 'b': expected its elements at byte 4, where the tensor before it ends, found a hole at byte 8"),
      file(
          "an overlap",
          safetensors(
              R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
              data),
          "tensor 'b': expected its elements at byte 4, where the tensor before it ends, found an overlap at byte 2"),
      one("offsets the wrong way round", R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", data,
          "tensor 'a': expected data_offsets inside the 8 bytes of elements, the smaller one first, found 4 and 0"),
      one("offsets behind the end", R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})", data,
          "tensor 'a': expected data_offsets inside the 8 bytes of elements, the smaller one first, found 0 and 16"),
      one("a size that does not fit", R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", data,
          "tensor 'a': expected 12 bytes for 3 of F32, found 8"),
      one("a negative size", R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", data,
          "tensor 'a': expected shape as an array of sizes, found -2"),
      one("sizes whose product is 2 in 64 bits",
          R"({"dtype":"F32","shape":[4611686018427387905,2],"data_offsets":[0,8]})", data,
          "tensor 'a': expected too many bytes for 4611686018427387905×2 of F32, found 8"),
      one("an unknown type", R"({"dtype":"F99","shape":[2],"data_offsets":[0,8]})", data,
          "tensor 'a': expected dtype F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL, found 'F99'"),
      one("bytes behind the last tensor", R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", data,
          "expected 4 bytes of elements, as the tensors take, found 8"),
      one("no network", R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", data,
          "tensors: expected those of a CST network ('fution.weight', …), or all of another network's, found 1 others: "
          "'a'"),
      file("a configuration that lies", safetensors(R"({"__metadata__":{"snapcube":"{\"bands\":0}"}})", ""),
           "bands: expected 1 … 1024, found 0"),
  };
}

inline BadFiles bad_pth_zip() {
  using namespace pickled;  // NOLINT: what pickles are made of
  const auto file = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.pth", content, ReadAs::tensors, verdict};
  };
  const Storages one = {{"0", float_bytes({1})}};
  const auto body = [&](const char* what, const std::string& pickle, const char* verdict) {
    return file(what, pth_zip(pickle, one), verdict);
  };
  const std::string sound = tensor(storage("0", 1), 0, {1}, {1});
  const std::string state = dict({{"fution.weight", sound}});
  const std::string good = pth_zip(state, one);
  const std::string entry = whole(state);
  const auto shaped = [&](const char* what, std::int64_t offset, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& stride, const char* verdict) {
    return body(what, dict({{"a", tensor(storage("0", 1), offset, shape, stride)}}), verdict);
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return {
      file("cut before the directory", good.substr(0, good.size() - 60), "expected a zip archive as torch.save"),
      file("no pickle", zip_file({{"archive/data/0", "1234"}}),
           "entries: expected one '…/data.pkl', as torch.save writes it, found none"),
      file("two pickles", zip_file({{"a/data.pkl", entry}, {"b/data.pkl", entry}}),
           "entries: expected one '…/data.pkl', as torch.save writes it, found 2"),
      file("a name above the archive", pth_zip(state, one, {{"../../x", ""}}),
           "entries: expected names inside the archive, found '../../x'"),
      file("an absolute name", pth_zip(state, one, {{"/etc/passwd", ""}}),
           "entries: expected names inside the archive, found '/etc/passwd'"),
      file("a storage twice", pth_zip(state, {one[0], one[0]}),
           "entries: expected every name once, found 'archive/data/0' twice"),
      file("a byte order that is none", pth_zip(state, one, {{"archive/byteorder", "middle"}}),
           "byteorder: expected 'little' or 'big', found 'middle'"),
      file("TorchScript", pth_zip(state, one, {{"archive/constants.pkl", entry}}),
           "expected a state_dict, found a TorchScript program"),
      file("a pickle with a wrong checksum", zip_file({{.name = "a/data.pkl", .data = entry, .checksum = 5}}),
           "expected sound compressed data, found CRC error"),
      file("a pickle of 4 GB, it says",
           zip_file({{.name = "a/data.pkl", .data = entry, .size = 0xFFFFFFF0u, .method = 8}}),
           "size: expected at most 67108864 bytes, found 4294967280"),
      file("bytes behind the pickle", zip_file({{"a/data.pkl", entry + "."}}),
           "pickle: expected its end at byte 182, found 183 bytes"),
      file("a pickle without end", zip_file({{"a/data.pkl", entry.substr(0, entry.size() - 1)}}),
           "pickle, byte 181: expected 1 more bytes, found the end after 0"),
      file("an empty pickle", zip_file({{"a/data.pkl", ""}}),
           "pickle, byte 0: expected 1 more bytes, found the end after 0"),
      file("protocol 9", zip_file({{"a/data.pkl", "\x80\x09}."}}), "pickle, byte 0: expected protocol 2 to 5, found 9"),
      body("a call of the shell", call("posix", "system", {text("id")}), "a request for 'posix.system'"),
      body("eval", call("builtins", "eval", {text("1")}), "a request for 'builtins.eval'"),
      body("eval, its name from the stack", text("builtins") + text("eval") + "\x93" + tuple({text("1")}) + "R",
           "a request for 'builtins.eval'"),
      body("a pickle inside the pickle", call("torch.storage", "_load_from_bytes", {text("x")}),
           "a request for 'torch.storage._load_from_bytes'"),
      body("a whole model", global("architecture.CST", "CST") + ")\x81", "a request for 'architecture.CST.CST'"),
      body("an object of a known class", global("collections", "OrderedDict") + ")\x81",
           "pickle, byte 28: expected instructions for plain data, found instruction 0x81, which makes an object of a "
           "class: this is no state_dict"),
      body("a registered extension", "\x82\x01",
           "pickle, byte 2: expected instructions for plain data, found instruction 0x82, which asks for a registered "
           "extension"),
      body("an instance of a class by name", "(ios\nsystem\n",
           "pickle, byte 3: expected instructions for plain data, found instruction 0x69"),
      body("an instance of a class from the stack", "(" + global("collections", "OrderedDict") + "o",
           "expected instructions for plain data, found instruction 0x6f"),
      body("an instance with named arguments", global("collections", "OrderedDict") + ")}\x92",
           "expected instructions for plain data, found instruction 0x92"),
      body("a persistent id in a line", "P0\n",
           "pickle, byte 2: expected instructions for plain data, found instruction 0x50"),
      body("an attribute of a known name", text("collections") + text("OrderedDict.__init__") + "\x93",
           "a request for 'collections.OrderedDict.__init__'"),
      body("a persistent id that is a dict", "}Q", "storage: expected a tuple that describes it, found a dict"),
      body("a dict that holds itself as its state_dict",
           std::string("}q\0", 3) + text("state_dict") + "h" + std::string("\0s", 2),
           "'state_dict.state_dict.state_dict.state_dict': expected a state_dict"),
      body("a buffer outside the file", "\x97",
           "pickle, byte 2: expected instructions for plain data, found instruction 0x97, which asks for data outside "
           "the file"),
      body("attributes of a number", integer(1) + "}b",
           "pickle, byte 13: expected attributes of a dict, found a number"),
      body("a call of a number", integer(1) + ")R", "pickle, byte 13: expected a name to call, found a number"),
      body("a call without tuple", global("collections", "OrderedDict") + "]R",
           "pickle, byte 28: expected a tuple of arguments, found a list"),
      body("a storage called", global("torch", "FloatStorage") + ")R",
           "torch.FloatStorage: expected a function that rebuilds tensors, found a call of this name"),
      body("an empty stack", "s", "pickle, byte 2: expected 2 objects on the stack, found fewer"),
      body("a mark that is none", "t", "pickle, byte 2: expected a mark on the stack, found none"),
      body("a key without value", "}(" + text("a") + "u",
           "pickle, byte 10: expected a value for each key, found an odd number of objects"),
      body("memory that was never filled", "h\x05",
           "pickle, byte 2: expected an object that was remembered, found none at 5"),
      body("a text of 4 GB", "X\xff\xff\xff\xff",
           "pickle, byte 2: expected 4294967295 more bytes, found the end after 1"),
      body("a text of 2^64 bytes", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff",
           "pickle, byte 2: expected 18446744073709551615 more bytes, found the end after 1"),
      body("a name without end", "c" + std::string(2000, 'a'), "pickle, byte 2: expected a name that ends, found none"),
      body("two objects", "}}", "pickle, byte 4: expected one object left at its end, found 2"),
      body("a number alone", integer(7), "expected a state_dict: a dict of tensors by name, found a number"),
      body("a list", "]", "expected a state_dict: a dict of tensors by name, found a list"),
      body("an empty dict", "}", "expected a state_dict: a dict of tensors by name, found a dict of nothing in it"),
      body("a tensor alone", sound, "expected a state_dict: a dict of tensors by name, found a tensor"),
      body("a name twice", dict({{"a", sound}, {"a", sound}}), "expected every name once, found 'a' twice"),
      body("a storage that is missing",
           dict({{"fution.weight", tensor(storage("7", 1), 0, {1, 1, 1, 1}, {1, 1, 1, 1})}}),
           "storage '7': expected an entry of that name in the archive's data/, found none"),
      body("a storage of no known type", dict({{"a", tensor(storage("0", 1, "QInt8Storage"), 0, {1}, {1})}}),
           "a request for 'torch.QInt8Storage'"),
      body("a storage with a negative count", dict({{"a", tensor(storage("0", -1), 0, {1}, {1})}}),
           "storage: expected a number of at least 0 as argument 5, found -1"),
      body("a storage of 2^60 elements", dict({{"a", tensor(storage("0", std::int64_t{1} << 60), 0, {1}, {1})}}),
           "storage: expected fewer elements, found 1152921504606846976"),
      body("a persistent id that is a text", text("0") + "Q",
           "storage: expected a tuple that describes it, found a text"),
      body("a persistent module", tuple({text("module"), text("x")}) + "Q",
           "storage: expected 'storage', found 'module': a whole model"),
      shaped("a negative size", 0, {-1}, {1},
             "torch._utils._rebuild_tensor_v2: expected a number of at least 0 as argument 1, found -1"),
      shaped("a negative stride", 0, {1}, {-1},
             "torch._utils._rebuild_tensor_v2: expected a number of at least 0 as argument 1, found -1"),
      shaped("a negative offset", -1, {1}, {1},
             "torch._utils._rebuild_tensor_v2: expected a number of at least 0 as argument 2, found -1"),
      shaped("an offset behind the end", 1, {1}, {1},
             "torch._utils._rebuild_tensor_v2: expected elements inside the storage's 1, found 1 from element 1 on, "
             "with strides of 1"),
      shaped("one element too many", 0, {2}, {1},
             "torch._utils._rebuild_tensor_v2: expected elements inside the storage's 1, found 2 from element 0 on, "
             "with strides of 1"),
      shaped("strides that overflow", 0, {most, most}, {most, most},
             "torch._utils._rebuild_tensor_v2: expected elements inside the storage's 1, found "
             "9223372036854775807×9223372036854775807 from element 0 on, with strides of "
             "9223372036854775807×9223372036854775807"),
      shaped("an offset that overflows", most, {2}, {most},
             "torch._utils._rebuild_tensor_v2: expected elements inside the storage's 1, found 2 from element "
             "9223372036854775807 on, with strides of 9223372036854775807"),
      shaped("more strides than sizes", 0, {1}, {1, 1},
             "torch._utils._rebuild_tensor_v2: expected 1 strides for 1, found 2"),
      shaped("17 dimensions", 0, std::vector<std::int64_t>(17, 1), std::vector<std::int64_t>(17, 1),
             "torch._utils._rebuild_tensor_v2: expected at most 16 dimensions, found 17"),
  };
}

inline BadFiles bad_pth_legacy() {
  using namespace pickled;  // NOLINT: what pickles are made of
  const auto file = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.pth", content, ReadAs::tensors, verdict};
  };
  const std::string state = dict({{"fution.weight", tensor(storage("0", 1), 0, {1}, {1})}});
  const std::string data = little_endian(1, 8) + float_bytes({1});
  const std::string good = pth_legacy(state, {"0"}, data);
  const std::string two =
      dict({{"a", tensor(storage("0", 1), 0, {1}, {1})}, {"b", tensor(storage("0", 2), 0, {1}, {1})}});
  return {
      file("another pickle", whole(text("hello")), "expected a file of torch.save, found a pickle of something else"),
      file("another magic number", legacy_start("0123456789"),
           "expected a file of torch.save, found a pickle of something else"),
      file("another version", legacy_start("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 7),
           "version: expected 1001, found another one"),
      file("cut before the object", legacy_start(), "pickle, byte 0: expected 1 more bytes, found the end after 0"),
      file("cut before the keys", legacy_start() + whole(state),
           "pickle, byte 0: expected 1 more bytes, found the end after 0"),
      file("cut before the storage", good.substr(0, good.size() - 12),
           "storage '0': expected 12 bytes, found the end of the file after 0"),
      file("cut in the storage", good.substr(0, good.size() - 1),
           "storage '0': expected 12 bytes, found the end of the file after 11"),
      file("bytes behind the storage", good + "x",
           "expected the end at byte 231, behind the last storage, found 232 bytes"),
      file("a count that lies", pth_legacy(state, {"0"}, little_endian(2, 8) + float_bytes({1, 2})),
           "storage '0': expected 1 elements, as the pickle says, found 2"),
      file("a key twice", pth_legacy(state, {"0", "0"}, data + data), "keys: expected every key once, found '0' twice"),
      file("an unknown key", pth_legacy(state, {"0", "1"}, data + data),
           "keys: expected those of the storages in the pickle, found '1'"),
      file("keys that are a dict", legacy_start() + whole(state) + whole("}") + data,
           "keys: expected a list, found a dict"),
      file("one storage of two sizes", pth_legacy(two, {"0"}, data),
           "storage '0': expected one type and size, found two"),
      file("a storage that is not in the list",
           pth_legacy(dict({{"fution.weight", tensor(storage("0", 1), 0, {1, 1, 1, 1}, {1, 1, 1, 1})}}), {}, ""),
           "storage '0': expected a key in the file's list, found none"),
      file("a call of the shell", legacy_start() + whole(call("os", "system", {text("id")})),
           "a request for 'os.system'"),
  };
}

/// A network of zeros, where one tensor is another: "out_proj.weight".
inline std::string network_with(int bands, const std::string& last, const Storages& storages) {
  using namespace pickled;  // NOLINT: what pickles are made of
  ModelConfig config = cst_variant("cst-s");
  config.bands = bands;
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [name, shape] : cst_parameters(config)) {
    if (is_hash_tensor(name) || name == "out_proj.weight") continue;
    items.emplace_back(name, tensor(storage("zero", 1), 0, shape, std::vector<std::int64_t>(shape.size(), 0)));
  }
  items.emplace_back("out_proj.weight", last);
  return pth_zip(dict(items), storages);
}

inline BadFiles bad_networks() {
  using namespace pickled;  // NOLINT: what pickles are made of
  const auto file = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.pth", content, ReadAs::weights, verdict};
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto last = [](std::int64_t bands, const char* type, std::int64_t stride) {
    return tensor(storage("s", 1, type), 0, {bands, bands, 3, 3}, {stride, stride, stride, stride});
  };
  const std::string zero = float_bytes({0});
  return {
      file("a network without blocks",
           pth_zip(dict({{"fution.weight", tensor(storage("s", 1), 0, {1, 2, 1, 1}, {0, 0, 0, 0})}}), {{"s", zero}}),
           "blocks: expected 1 … 64 at each of the three stages, found 0,0,0"),
      file("bands that do not fit",
           pth_zip(dict({{"fution.weight", tensor(storage("s", 1), 0, {2, 3, 1, 1}, {0, 0, 0, 0})}}), {{"s", zero}}),
           "fution.weight: expected bands×bands×1×1, or bands×(2·bands)×1×1 with the mask as input, found 2×3×1×1"),
      file("NaN weights", network_with(1, last(1, "FloatStorage", 0), {{"zero", zero}, {"s", float_bytes({nan})}}),
           "tensor 'out_proj.weight': expected finite values, found NaN at element 0"),
      file(
          "a double beyond floats",
          network_with(1, last(1, "DoubleStorage", 0), {{"zero", zero}, {"s", std::string("\0\0\0\0\0\0\xf0\x7e", 8)}}),
          "tensor 'out_proj.weight': expected finite values, found infinity at element 0"),
      file("integers for weights",
           network_with(1, last(1, "LongStorage", 0), {{"zero", zero}, {"s", std::string(8, '\0')}}),
           "tensor 'out_proj.weight': expected F64, F32, F16 or BF16, found I64"),
      file("another shape", network_with(1, last(2, "FloatStorage", 0), {{"zero", zero}, {"s", zero}}),
           "1 of another shape: out_proj.weight (2×2×3×3 instead of 1×1×3×3)"),
      file("a tensor missing", network_with(1, "N", {{"zero", zero}}), "1 missing: out_proj.weight"),
      file("gigabytes from one element", network_with(700, last(700, "FloatStorage", 0), {{"zero", zero}, {"s", zero}}),
           "(the limit for reading, and for a file of"),
  };
}

}  // namespace snapcube::testing
