// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/kernels/dispatch/isa.h"

namespace meshreel {

/// The narrower levels that this CPU offers, which a whole check visits too: a library keeps to the level
/// that it was first used at, so that each takes a process. None in a process that was limited itself.
std::vector<IsaLevel> narrowerLevels();

/// Runs this program with `arguments` and `--isa` and returns what it wrote to stdout; its stderr goes to
/// this process's. A stop ends it. Throws Error{Cancelled} then.
std::string outputAtLevel(IsaLevel level, const std::vector<std::string>& arguments, const StopToken& stop);

}  // namespace meshreel
