#pragma once
// What the terminal behind standard output can show.

namespace snapcube {

struct TerminalAbilities {
  bool sixel = false;
  bool true_colour = false;
  int columns = 80;
  int rows = 24;
  /// Pixels of a character; a guess where the terminal does not tell.
  int cell_width = 8;
  int cell_height = 16;
};

/// Asks the terminal (primary device attributes: 4 among them means sixels) and waits a moment for its answer; without
/// a terminal, what any of them could show.
TerminalAbilities terminal_abilities();

}  // namespace snapcube
