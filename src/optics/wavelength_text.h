#pragma once
// Wavelengths and other lists of numbers as typed in an option.

#include <string>
#include <vector>

namespace snapcube {

/// "453.5,457.5,…", "400:10:31" (first:step:count) or "published". Throws InputError; `option` names the place.
std::vector<double> parse_wavelengths(const std::string& text, const std::string& option);
std::vector<double> parse_numbers(const std::string& text, const std::string& option);

}  // namespace snapcube
