// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"

namespace meshreel {

class Trace;

/// What a computation runs on, passed by reference to everything that computes.
struct Execution {
    WorkerPool& workers;     ///< the team of this device
    StopToken stop;          ///< asked at least once per transformer block
    Trace* trace = nullptr;  ///< spans go here when present
};

}  // namespace meshreel
