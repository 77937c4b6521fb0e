// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_kernel.h"

#include <algorithm>
#include <array>

#include "engine/kernels/convolution/convolution_bf16.h"

namespace meshreel {
namespace {

using Cpu = CpuFeatures;

const std::array f32Candidates{
    ConvolutionCandidate{.needs = {.name = "own AVX-512", .needs = {&Cpu::avx512f}},
                         .kernel = &avx512Convolution},
    ConvolutionCandidate{.needs = {.name = "own AVX2", .needs = {&Cpu::avx2, &Cpu::fma}},
                         .kernel = &avx2Convolution},
};

const std::array bf16Candidates{
    ConvolutionCandidate{.needs = {.name = "own AMX tiles", .needs = {&Cpu::amxTile, &Cpu::amxBf16}},
                         .kernel = &amxConvolution},
    ConvolutionCandidate{.needs = {.name = "own AVX512-BF16", .needs = {&Cpu::avx512Bf16, &Cpu::avx512vl}},
                         .kernel = &avx512Bf16Convolution},
    ConvolutionCandidate{.needs = {.name = "own AVX-512, multiplied as f32", .needs = {&Cpu::avx512f}},
                         .kernel = &avx512Convolution},
    ConvolutionCandidate{.needs = {.name = "own AVX2, multiplied as f32", .needs = {&Cpu::avx2, &Cpu::fma}},
                         .kernel = &avx2Convolution},
};

}  // namespace

std::span<const ConvolutionCandidate> convolutionCandidates(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::BF16 ? std::span<const ConvolutionCandidate>(bf16Candidates)
                                          : std::span<const ConvolutionCandidate>(f32Candidates);
}

const ConvolutionKernel& convolutionKernel(Arithmetic arithmetic) {
    const auto candidates = convolutionCandidates(arithmetic);
    const auto taken = std::ranges::find_if(candidates, [](const ConvolutionCandidate& candidate) {
        return whyRejected(candidate.needs).empty();
    });
    return taken != candidates.end() ? *taken->kernel : *candidates.back().kernel;
}

}  // namespace meshreel
