// Lines of `snapcube watch`'s journal.

#include "live/journal.h"

#include <string_view>

#include "check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entry = live::parse_journal_line(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!entry) return 0;
  fuzzing::require(!entry->input.empty(), "an input");
  fuzzing::require(entry->cube.find('/') == std::string::npos, "a plain name");
  if (size > 8000) return 0;  // longer when it is written again, it may be too long
  // What is written again is read the same.
  const auto again = live::parse_journal_line(live::journal_line(*entry));
  fuzzing::require(again.has_value(), "its own line");
  fuzzing::require(again->stamp == entry->stamp, "the same stamp");
  return 0;
}
