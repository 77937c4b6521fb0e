// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/execution.h"

#include "engine/tensor/compute_device.h"
#include "engine/tensor/memory.h"

namespace meshreel {

Memory* Execution::memory() const {
    return gpu == nullptr ? nullptr : &gpu->memory();
}

}  // namespace meshreel
