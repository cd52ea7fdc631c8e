// Feeds the files named on the command line to a fuzz target: what was once found stays found.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// libFuzzer's own; a target that has a mutator refers to it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

int main(int count, char** paths) {
  for (int i = 1; i < count; ++i) {
    std::ifstream file(paths[i], std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      std::fprintf(stderr, "%s: cannot read\n", paths[i]);
      return 1;
    }
    std::fprintf(stderr, "%s\n", paths[i]);  // the last line names the culprit
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  }
  if (count < 2) std::fprintf(stderr, "no files to replay\n");
  return count < 2 ? 1 : 0;
}
