// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/base/record.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/first_use.h"

namespace meshreel {

/// Kernels of a GPU that several shaders compute: which of them does is measured once, and bound.
enum class GpuKernel : std::uint8_t {
    Linear,           ///< rows and weights of bf16
    Int8Linear,       ///< rounded rows, int8 weights
    NarrowAttention,  ///< heads of up to 64 numbers of bf16
    WideAttention,    ///< heads of up to 128
    Convolution,      ///< features and weights of bf16
};

/// Their names among the measurements of a GPU (GpuTuning).
template <>
struct EnumNames<GpuKernel> {
    static constexpr std::array<std::string_view, 5> names{"linear", "linear int8", "attention 64",
                                                           "attention 128", "convolution"};
};

/// What is told while kernels are bound; each may be null.
struct MeasuringReport {
    /// Before a kernel is measured that nothing is known of.
    std::function<void(GpuKernel kernel)> before = {};
    /// When a kernel of PTX is refused, with the reason.
    std::function<void(GpuKernel kernel, const MeasuredVariant& variant)> refused = {};
};

// A kernel is bound once, when the first operation that needs it is prepared. Passes never ask: an operation
// that is prepared has its shaders.

/// Returns how the GPU computes the kernel. Binds it first where nobody has: as known, or measured now, which
/// takes seconds on a GPU that has choices. Throws Error{Device} when the GPU refuses every way,
/// Error{Cancelled}.
BoundKernel bindKernel(GpuPipelines& pipelines, GpuKernel kernel, const MeasuringReport& report = {},
                       const StopToken& stop = {});

/// Computes small values by one variant, beside the CPU, and then the problems that it is measured on, up to
/// the one that would take too long. Returns how many. Throws Error{Device} when the GPU does not have it,
/// refuses it or computes wrong values, Error{Input} when no kernel has the name.
std::size_t tryVariant(GpuPipelines& pipelines, const NamedVariant& variant);

/// Returns the same of a kernel that is bound; nothing before.
std::optional<BoundKernel> findBound(GpuPipelines& pipelines, GpuKernel kernel);

}  // namespace meshreel
