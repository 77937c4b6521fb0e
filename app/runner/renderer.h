// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace meshreel {

/// Becomes meshreel-render, which stands beside this program and can draw: its sentences and exit codes are
/// the runner's. Throws Error{Input} naming the packages when it is not there or does not start.
[[noreturn]] void becomeRenderer(std::vector<std::string> arguments);

}  // namespace meshreel
