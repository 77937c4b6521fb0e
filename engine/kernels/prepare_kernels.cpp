// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/prepare_kernels.h"

#include "engine/base/record.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/gpu_wide_attention.h"

namespace meshreel {
namespace {

std::vector<GpuKernel> kernelsFor(const KernelNeeds& needs) {
    std::vector<GpuKernel> kernels;
    for (const Arithmetic arithmetic : needs.linears)
        kernels.push_back(arithmetic == Arithmetic::Int8 ? GpuKernel::Int8Linear : GpuKernel::Linear);
    for (const HeadNeed& heads : needs.heads)
        if (heads.type == DType::BF16)
            kernels.push_back(attentionKernel(heads.headDim));
    if (needs.convolutions)
        kernels.push_back(GpuKernel::Convolution);
    return kernels;
}

}  // namespace

void prepareKernels(Memory* memory, const KernelNeeds& needs, const PreparationReport& report,
                    const StopToken& stop) {
    if (memory == nullptr)
        return;
    GpuPipelines& pipelines = vulkanGpu(memory->device()).pipelines();
    MeasuringReport measuring;
    if (report.before)
        measuring.before = [&](GpuKernel kernel) { report.before(enumName(kernel)); };
    if (report.refused)
        measuring.refused = [&](GpuKernel kernel, const MeasuredVariant& variant) {
            report.refused(enumName(kernel), variant.form, variant.why);
        };
    for (const GpuKernel needed : kernelsFor(needs))
        bindKernel(pipelines, needed, measuring, stop);
    static_cast<void>(rowsOf(pipelines));
    if (needs.convolutions || needs.frameAttention)
        static_cast<void>(pixelsOf(pipelines));
    for (const HeadNeed& heads : needs.heads)
        prepareHeads(pipelines, heads.headDim, heads.type);
    if (needs.frameAttention)
        operationsOf(pipelines).frameAttention = prepareFrameAttention(pipelines);
}

}  // namespace meshreel
