// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/kernel_candidate.h"

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/dispatch/tile_permission.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/rows/row_kernels.h"

namespace meshreel {

namespace {

KernelOperation linearOperation(std::string_view name, Arithmetic arithmetic) {
    KernelOperation operation{.name = name, .candidates = {}};
    for (const LinearCandidate& candidate : linearCandidates(arithmetic))
        operation.candidates.push_back(candidate.kernel);
    return operation;
}

KernelOperation convolutionOperation(std::string_view name, Arithmetic arithmetic) {
    KernelOperation operation{.name = name, .candidates = {}};
    for (const ConvolutionCandidate& candidate : convolutionCandidates(arithmetic))
        operation.candidates.push_back(candidate.needs);
    return operation;
}

}  // namespace

std::string whyRejected(const KernelCandidate& candidate) {
    for (const CpuFeature feature : candidate.needs) {
        if (feature == nullptr)
            break;
        if (std::string reason = whyAbsent(feature); !reason.empty())
            return reason;
    }
    return {};
}

std::vector<KernelOperation> kernelOperations() {
    const auto attention = attentionCandidates();
    const auto rows = rowKernelCandidates();
    return {linearOperation("f32 matmul", Arithmetic::F32),
            linearOperation("bf16 matmul", Arithmetic::BF16),
            linearOperation("int8 matmul", Arithmetic::Int8),
            {.name = "attention", .candidates = {attention.begin(), attention.end()}},
            convolutionOperation("f32 convolution", Arithmetic::F32),
            convolutionOperation("bf16 convolution", Arithmetic::BF16),
            {.name = "norms and rotary embedding in bf16", .candidates = {rows.begin(), rows.end()}}};
}

}  // namespace meshreel
