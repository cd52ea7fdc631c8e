// PyTorch's zip format. Its pickle lies in an entry with a checksum, so that hardly any change of it would be read. An
// input that does not begin as a zip archive does is therefore a pickle, and 64 bytes of storage "0" at its end; the
// archive is built around them.

#include "pth_files.h"
#include "weights_check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  if (is_pth_zip(bytes)) {
    fuzzing::check_pth(bytes);
    fuzzing::check_weights_file(bytes);
    return 0;
  }
  constexpr std::size_t kStorage = 64;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = size - std::min(size, kStorage);
  const std::string file =
      testing::zip_file({{"a/data.pkl", text.substr(0, length)}, {"a/data/0", text.substr(length)}});
  fuzzing::check_pth(std::as_bytes(std::span(file)));
  return 0;
}
