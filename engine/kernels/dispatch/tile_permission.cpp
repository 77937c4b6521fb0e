// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/tile_permission.h"

#include <array>

namespace meshreel {

std::span<const KernelCandidate> attentionCandidates() {
    using Cpu = CpuFeatures;
    static const std::array<KernelCandidate, 3> candidates{
        KernelCandidate{.name = "own AMX tiles",
                        .needs = {&Cpu::amxTile, &Cpu::amxBf16, &Cpu::avx512Bf16, &Cpu::avx512bw,
                                  &Cpu::avx512dq, &Cpu::avx512vl},
                        .limits = "queries, keys and values in bf16"},
        KernelCandidate{.name = "own AVX-512 panels",
                        .needs = {&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
        KernelCandidate{.name = "own AVX2 panels", .needs = {&Cpu::avx2, &Cpu::fma}}};
    return candidates;
}

bool bf16TilesUsable() {
    static const bool usable = whyRejected(attentionCandidates().front()).empty();
    return usable;
}

}  // namespace meshreel
