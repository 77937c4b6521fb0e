// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_kernels.h"

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/linear_trials.h"

namespace meshreel {
namespace {

KernelTrial trialOf(GpuPipelines& pipelines, GpuKernel kernel) {
    switch (kernel) {
        case GpuKernel::Linear:
            return linearTrial(pipelines);
        case GpuKernel::Int8Linear:
            return int8LinearTrial(pipelines);
        case GpuKernel::NarrowAttention:
        case GpuKernel::WideAttention:
            return attentionTrial(pipelines, kernel);
        case GpuKernel::Convolution:
            return convolutionTrial(pipelines);
    }
    throw Error(ErrorKind::Internal, "a GPU has no such kernel");
}

}  // namespace

BoundKernel bindKernel(GpuPipelines& pipelines, GpuKernel kernel, const MeasuringReport& report,
                       const StopToken& stop) {
    const std::optional<BoundKernel> bound = findBound(pipelines, kernel);
    return bound ? *bound : bindFastest(pipelines, trialOf(pipelines, kernel), report, stop);
}

std::size_t tryVariant(GpuPipelines& pipelines, const NamedVariant& variant) {
    const std::optional<GpuKernel> kernel = enumNamed<GpuKernel>(variant.kernel);
    if (!kernel)
        throw Error(ErrorKind::Input, sentence("no kernel is called {}", variant.kernel));
    return tryVariant(pipelines, trialOf(pipelines, *kernel), variant);
}

std::optional<BoundKernel> findBound(GpuPipelines& pipelines, GpuKernel kernel) {
    const BoundKernel* bound = pipelines.tuning().bound(static_cast<std::size_t>(kernel));
    return bound == nullptr ? std::nullopt : std::optional(*bound);
}

}  // namespace meshreel
