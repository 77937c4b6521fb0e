// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/kernel_operations.h"

#include "engine/kernels/attention/attention_candidates.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/rows/row_kernels.h"

namespace meshreel {

namespace {

/// `kernel`: the member of a candidate that says what it needs.
template <typename Candidate>
KernelOperation operation(std::string_view name, std::span<const Candidate> candidates,
                          KernelCandidate Candidate::*kernel) {
    KernelOperation result{.name = name, .candidates = {}};
    for (const Candidate& candidate : candidates)
        result.candidates.push_back(candidate.*kernel);
    return result;
}

KernelOperation linear(std::string_view name, Arithmetic arithmetic) {
    return operation(name, linearCandidates(arithmetic), &LinearCandidate::kernel);
}

KernelOperation convolution(std::string_view name, Arithmetic arithmetic) {
    return operation(name, convolutionCandidates(arithmetic), &ConvolutionCandidate::needs);
}

}  // namespace

std::vector<KernelOperation> kernelOperations() {
    const auto rows = rowKernelCandidates();
    return {linear("f32 matmul", Arithmetic::F32),
            linear("bf16 matmul", Arithmetic::BF16),
            linear("int8 matmul", Arithmetic::Int8),
            operation("attention", attentionCandidates(), &AttentionCandidate::kernel),
            convolution("f32 convolution", Arithmetic::F32),
            convolution("bf16 convolution", Arithmetic::BF16),
            {.name = "norms and rotary embedding in bf16", .candidates = {rows.begin(), rows.end()}}};
}

}  // namespace meshreel
