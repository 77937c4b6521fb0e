// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/first_use.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/matrix_variants.h"

namespace meshreel {

/// A problem on which candidates are measured, larger or smaller.
struct TrialProblem {
    double flops = 0;
    /// Records the kernel once.
    std::function<void(const BoundVariant& by, GpuStream& stream)> record;
};

/// What compares the ways to compute a kernel.
struct KernelTrial {
    GpuKernel kernel;
    std::span<const MatrixVariant> variants;
    std::string_view revision;  ///< computeRevision() them
    /// Compiles and checks. Throws Error{Device} when the way is to be refused.
    std::function<void(const BoundVariant& by)> build;
    /// Problems of rising size: the next is measured when it takes no longer than a submission may.
    std::size_t sizes = 0;
    std::function<TrialProblem(std::size_t size)> prepare;
};

/// Binds the fastest way to compute a kernel on the GPU: as measured before, or measured now, once. A way
/// that is refused gives place to the next one. A kernel of PTX that could not be asked about (FirstUse) is
/// left out, and the next process asks again. Throws Error{Device} when there is none, or the filter admits
/// none, Error{Cancelled}.
BoundKernel bindFastest(GpuPipelines& pipelines, const KernelTrial& trial, const MeasuringReport& report = {},
                        const StopToken& stop = {});

/// Asks a program about a kernel of PTX (askFirstUse()), whatever is remembered; shaders are not tried apart.
/// Throws RefusedShader when it is refused for good, Error{Device} when it could not be asked about,
/// Error{Cancelled}.
void requireUsable(GpuPipelines& pipelines, const KernelTrial& trial, const GpuCandidate& candidate,
                   const StopToken& stop);

/// Builds one variant of the trial, which checks it, and computes the trial's problems by it, up to the one
/// that would take too long. Returns how many. Throws Error{Device} when the GPU does not have it, or refuses
/// it.
std::size_t tryVariant(GpuPipelines& pipelines, const KernelTrial& trial, const NamedVariant& variant);

/// Keeps a kernel of PTX as refused that lost the device, or that NVIDIA's driver ended, while it was
/// measured: the next process leaves it alone. Returns whether it was so.
bool refuseIfItEndsTheDevice(GpuTuning& tuning, const KernelTrial& trial, const MeasuredVariant& variant,
                             const Error& failure);

/// Returns whether a try fails each time: the failure is worth remembering.
bool isLasting(const Error& failure);

/// Returns the form of the fastest way to compute a kernel by the measurements of a GPU; nothing before it
/// was measured with the shaders of `revision`.
std::optional<MatrixForm> fastestForm(const GpuTuning& tuning, GpuKernel kernel, std::string_view revision);

/// Form and block of a candidate, and which text it has, without a rate.
MeasuredVariant unmeasured(const GpuCandidate& candidate);

/// Returns the seconds of one of several problems, by the GPU's clock if it has one.
double secondsOf(const TrialProblem& problem, const BoundVariant& by, GpuStream& stream, int times);

}  // namespace meshreel
