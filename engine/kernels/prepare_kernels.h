// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/memory.h"

namespace meshreel {

/// The work with rows of bf16 that a model gives a device, in kernels for which a GPU has several shaders.
/// Other kernels need no preparation.
struct KernelNeeds {
    std::vector<Arithmetic> linears = {};  ///< for weights
    std::vector<std::int64_t> heads = {};  ///< numbers of a head that is attended to
    bool convolutions = false;
};

/// Called before a kernel is measured, with its name among the measurements of a GPU.
using BeforeMeasurement = std::function<void(std::string_view kernel)>;

/// Finds out which shaders are the fastest on the device of a memory; null: the host's, which has none.
/// Operations that are prepared there from then on take these. Measuring an unknown kernel takes seconds,
/// once; the result is kept for later runs. Throws Error{Device} when the device refuses every way to compute
/// one of them.
void prepareKernels(Memory* memory, const KernelNeeds& needs,
                    const BeforeMeasurement& beforeMeasurement = {});

}  // namespace meshreel
