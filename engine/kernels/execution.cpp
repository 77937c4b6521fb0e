// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/execution.h"

#include "engine/gpu/gpu_work.h"

namespace meshreel {

Memory* Execution::memory() const {
    return gpu == nullptr ? nullptr : &gpu->memory();
}

}  // namespace meshreel
