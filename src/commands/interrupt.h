#pragma once
// Ctrl-C: noted, and acted on where nothing is half-done.

namespace snapcube {

/// From now on SIGINT and SIGTERM set a flag. A second one ends the program at once.
void catch_interrupts();
bool interrupted();
/// Throws Interrupted if the flag is set.
void stop_if_interrupted();

}  // namespace snapcube
