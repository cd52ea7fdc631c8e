// A folder of PNGs: a letter that chooses the naming, then one picture after the other, each from its signature on.

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "check.h"
#include "png_chunks.h"

using namespace snapcube;
using namespace snapcube::io;
namespace fs = std::filesystem;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzzing::mutate_pngs(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostPictures = 6;
  const std::string pictures = fuzzing::folder() + "/pictures";
  fs::remove_all(pictures);
  fs::create_directory(pictures);
  const auto bytes = fuzzing::as_span(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool cave = text.starts_with('c');
  std::size_t at = text.find(fuzzing::kPngSignature);
  for (std::size_t i = 0; i < kMostPictures && at != text.npos; ++i) {
    const std::size_t next = std::min(text.find(fuzzing::kPngSignature, at + 1), size);
    const std::string name = cave ? fmt::format("x_ms_{:02}.png", i + 5) : fmt::format("band{}.png", i);
    fuzzing::put_file("pictures/" + name, bytes.subspan(at, next - at));
    at = next == size ? text.npos : next;
  }
  fuzzing::check_file(png_folder_format(), pictures);
  return 0;
}
