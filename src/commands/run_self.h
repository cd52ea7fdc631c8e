#pragma once
// The program runs itself: commands that are made of commands.

#include <string>
#include <vector>

namespace snapcube {

/// `snapcube ARGUMENTS…` in a process of its own, whose standard output is returned; messages and progress go where
/// this program's go. Throws Interrupted when it was stopped with Ctrl-C, Error when it failed: it has said why.
std::string run_self(const std::vector<std::string>& arguments);

}  // namespace snapcube
