// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace meshreel {

/// Becomes the program of this name beside this one, which links Qt; its sentences and exit codes are then
/// the runner's. Throws Error{Input} saying what cannot be done ("The program that draws charts") where it is
/// not installed or does not start.
[[noreturn]] void becomeSisterProgram(const std::string& name, const std::string& whatItIs,
                                      std::vector<std::string> arguments);

}  // namespace meshreel
