#pragma once
// The page around a report: one HTML file that needs nothing else.

#include <string>

namespace snapcube {

/// `body` is HTML.
std::string report_page(const std::string& title, const std::string& body);

}  // namespace snapcube
