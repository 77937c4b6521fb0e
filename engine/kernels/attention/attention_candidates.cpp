// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/attention_candidates.h"

#include <algorithm>
#include <array>

namespace meshreel {

namespace {

using Cpu = CpuFeatures;

constexpr std::string_view bf16Rows = "queries, keys and values in bf16";

const std::array candidates{
    AttentionCandidate{.kernel = {.name = "own AMX tiles",
                                  .needs = {&Cpu::amxTile, &Cpu::amxBf16, &Cpu::avx512Bf16, &Cpu::avx512bw,
                                            &Cpu::avx512dq, &Cpu::avx512vl},
                                  .limits = bf16Rows},
                       .inTiles = tileAttentionAmx},
    AttentionCandidate{.kernel = {.name = "own AVX512-BF16",
                                  .needs = {&Cpu::avx512Bf16, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl},
                                  .limits = bf16Rows},
                       .inTiles = tileAttentionAvx512Bf16},
    AttentionCandidate{.kernel = {.name = "own AVX-512 panels",
                                  .needs = {&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}}},
    AttentionCandidate{.kernel = {.name = "own AVX2 panels", .needs = {&Cpu::avx2, &Cpu::fma}}},
};

}  // namespace

std::span<const AttentionCandidate> attentionCandidates() {
    return candidates;
}

TileAttentionFunction tileAttention() {
    static const TileAttentionFunction taken = [] {
        const auto candidate = std::ranges::find_if(
            candidates, [](const AttentionCandidate& one) { return whyRejected(one.kernel).empty(); });
        return candidate != candidates.end() ? candidate->inTiles : nullptr;
    }();
    return taken;
}

}  // namespace meshreel
