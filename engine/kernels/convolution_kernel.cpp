// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution_kernel.h"

#include <algorithm>

#include "engine/kernels/convolution_bf16.h"
#include "engine/kernels/convolution_f32.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/tile_permission.h"

namespace meshreel {
namespace {

std::string_view whyNotAmx(Arithmetic arithmetic) {
    if (arithmetic != Arithmetic::BF16)
        return "multiplies bf16 only";
    if (!cpuFeatures().amxTile || !cpuFeatures().amxBf16)
        return "the CPU has no AMX-BF16";
    return bf16TilesUsable() ? "" : "the system does not permit tiles";
}

}  // namespace

std::vector<ConvolutionCandidate> convolutionCandidates(Arithmetic arithmetic) {
    return {{&amxConvolution, whyNotAmx(arithmetic)},
            {&avx512Convolution, cpuFeatures().avx512f ? "" : "the CPU has no AVX-512"},
            {&avx2Convolution, ""}};
}

const ConvolutionKernel& convolutionKernel(Arithmetic arithmetic) {
    const std::vector<ConvolutionCandidate> candidates = convolutionCandidates(arithmetic);
    return *std::ranges::find_if(candidates, &std::string_view::empty, &ConvolutionCandidate::rejected)
                ->kernel;
}

}  // namespace meshreel
