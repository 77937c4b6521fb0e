// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "engine/planning/run_task.h"

namespace meshreel {

/// How a task is placed, as far as memory allows.
using PlaceTask = std::function<Placed(const RunTask&)>;

/// Decides how the passes of a task with a driving video come by its keys, where the project leaves it open:
/// kept as they are, else kept in int8, where that fits and takes nothing else its place, else computed
/// again. Other tasks are returned as they are.
RunTask withDrivingKeys(RunTask task, const PlaceTask& place);

}  // namespace meshreel
