// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"

namespace meshreel {

class ComputeDevice;
class Memory;
class Trace;

/// What a computation runs on, passed by reference to everything that computes. Kernels compute where their
/// numbers are: on the GPU what is in its memory, on the workers everything else.
struct Execution {
    WorkerPool& workers;           ///< the team of this device
    StopToken stop;                ///< asked at least once per transformer block
    Trace* trace = nullptr;        ///< spans go here when present
    ComputeDevice* gpu = nullptr;  ///< set for a device with a GPU

    /// Returns where the large tensors of a model belong: in the GPU's memory, or null, which is the host's.
    [[nodiscard]] Memory* memory() const;
    /// Returns whether no other device reads this one's memory: it needs weights of its own, and what it
    /// exchanges with others passes through the host's memory.
    [[nodiscard]] bool hasOwnMemory() const { return gpu != nullptr; }
};

}  // namespace meshreel
