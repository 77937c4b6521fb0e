// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/timing/run_record.h"

namespace meshreel {

/// Names of run folders as charts and tables show them, where the parts that differ have to be seen: of
/// "20261122-150944-ring-2d" only "ring-2d"; where others are called so too "ring-2d 15:09:44", and with its
/// day where they began at the same time of it. Other names stay as they are; the second of two equal names
/// gets "(2)" behind it.
std::vector<std::string> shortRunNames(std::span<const std::string> names);

/// The same runs, called so.
std::vector<RunRecord> withShortNames(std::vector<RunRecord> runs);

}  // namespace meshreel
