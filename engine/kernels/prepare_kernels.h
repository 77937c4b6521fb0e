// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/memory.h"

namespace meshreel {

/// Heads that are attended to.
struct HeadNeed {
    std::int64_t headDim = 0;  ///< numbers of a head
    DType type = DType::F32;
};

/// The work that a model gives a device in operations that are prepared for all models. Other operations are
/// prepared with the layer that they belong to, or need it not.
struct KernelNeeds {
    std::vector<Arithmetic> linears = {};  ///< for weights, where rows are bf16
    std::vector<HeadNeed> heads = {};
    bool convolutions = false;    ///< of bf16
    bool frameAttention = false;  ///< attendWidely()
};

/// What is told while kernels are prepared; each may be null. `kernel` is a name among the measurements of a
/// GPU.
struct PreparationReport {
    /// Before a kernel is measured.
    std::function<void(std::string_view kernel)> before = {};
    /// When a kernel of PTX is refused at its first use, with its form and the driver's words.
    std::function<void(std::string_view kernel, std::string_view form, const Sentence& why)> refused = {};
};

/// Finds out which shaders are the fastest on the device of a memory, and prepares attention with them; null:
/// the host's, which has none. Layers that are kept there from then on take these shaders. Measuring an
/// unknown kernel takes seconds, once; the result is kept for later runs. Throws Error{Device} when the
/// device refuses every way to compute one of them, Error{Cancelled}.
void prepareKernels(Memory* memory, const KernelNeeds& needs, const PreparationReport& report = {},
                    const StopToken& stop = {});

}  // namespace meshreel
