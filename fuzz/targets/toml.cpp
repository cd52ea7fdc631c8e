// Training configurations; what is parsed is written and parsed once more.

#include <optional>

#include <snapcube/error.h>

#include "check.h"
#include "samples/config_file.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<TrainConfig> config;
  try {
    config = parse_config({reinterpret_cast<const char*>(data), size}, "x.toml");
  } catch (const InputError& error) {
    fuzzing::require(*error.what() != '\0', "an error says something");
    return 0;
  }
  const std::string text = config_text(*config);
  fuzzing::require(config_text(parse_config(text, "x.toml")) == text,
                   "a configuration is the same after it was written");
  return 0;
}
