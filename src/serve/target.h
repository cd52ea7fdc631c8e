#pragma once
// What a request asks for: "/TOKEN/tile?layer=band-0-12&level=2&x=0&y=1", taken apart by a strict grammar.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace snapcube {

struct Target {
  std::string token;
  std::string name;  ///< what follows the token, without the query
  std::map<std::string, std::string, std::less<>> parameters;
};

/// Nothing unless the text is  '/' token '/' name [ '?' key '=' value { '&' key '=' value } ]  where token is
/// letters and digits, name is of [a-z0-9.] (or empty), keys are small letters, values are of [A-Za-z0-9.-], no key
/// comes twice and there are at most 8. There is nothing to decode, so that nothing can be decoded wrongly.
std::optional<Target> parse_target(std::string_view text);

}  // namespace snapcube
