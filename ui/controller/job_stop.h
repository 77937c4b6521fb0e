// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "engine/base/stop_token.h"

namespace meshreel {

/// How the Studio asks a job to end: at once, or when the step at hand is done.
struct JobStop {
    StopSource now;
    std::atomic<bool> afterStep = false;
};

}  // namespace meshreel
