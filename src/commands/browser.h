#pragma once
// The user's web browser.

#include <string>

namespace snapcube {

/// Starts it with an address, detached. False where there is no screen or no program that knows the browser.
bool open_browser(const std::string& address);

}  // namespace snapcube
