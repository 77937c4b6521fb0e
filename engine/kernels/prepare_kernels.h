// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"

namespace meshreel {

/// What a model has a device compute with rows of bf16: of these kernels a GPU has several shaders. Others
/// need no preparation.
struct KernelNeeds {
    std::vector<Arithmetic> linears = {};  ///< of weights
    std::vector<std::int64_t> heads = {};  ///< numbers of a head that is attended to
    bool convolutions = false;
};

/// Called before a kernel is measured, with its name among the measurements of a GPU.
using BeforeMeasurement = std::function<void(std::string_view kernel)>;

/// Before the first pass of a model on the execution's device: finds out which shaders are the fastest there,
/// so that no pass has to. What is not known takes seconds to measure, once, and is kept for later runs.
/// Nothing to do for a device without a GPU. Throws Error{Device} when the GPU refuses every way to compute
/// one of them.
void prepareKernels(const Execution& execution, const KernelNeeds& needs,
                    const BeforeMeasurement& beforeMeasurement = {});

}  // namespace meshreel
