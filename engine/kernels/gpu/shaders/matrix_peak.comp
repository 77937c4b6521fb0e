#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// As many products as the matrix units make: four left and four right factors stay in registers and are multiplied with each
// other again and again. What a kernel that has to fetch its factors is compared with.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"

layout(local_size_x = 4 * SUBGROUP) in;
const uint factors = 4;

#ifdef INT8_FACTORS
const uint together = 4;  // factors of an element of memory
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Factors { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { int at[]; };
#else
const uint together = 1;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Factors { float16_t at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { float at[]; };
#endif

// Order and meaning as PeakConstants in gpu_peaks.cpp.
layout(push_constant) uniform Constants {
    uint64_t numbers;  // 64 by 64 factors, and behind them 4 KiB for each group
    uint rounds;
} c;

void main() {
    LeftMatrix left[factors];
    RightMatrix right[factors];
    SumMatrix sums[factors * factors];
    [[unroll]] for (uint i = 0; i < factors; ++i) {
        coopMatLoadNV(left[i], Factors(c.numbers).at, i * TILE_M * 64 / together, 64 / together, false);
        coopMatLoadNV(right[i], Factors(c.numbers).at, i * TILE_N * 64 / together, 64 / together, true);
    }
    [[unroll]] for (uint i = 0; i < factors * factors; ++i) sums[i] = noSums;
    [[dont_unroll]] for (uint round_ = 0; round_ < c.rounds; ++round_)
        [[unroll]] for (uint m = 0; m < factors; ++m)
            [[unroll]] for (uint n = 0; n < factors; ++n)
                sums[m * factors + n] = coopMatMulAddNV(left[m], right[n], sums[m * factors + n]);
    [[unroll]] for (uint i = 1; i < factors * factors; ++i) sums[0] = sums[0] + sums[i];
    const uint64_t own = c.numbers + 8192ul + 4096ul * uint64_t(gl_WorkGroupID.x);
    coopMatStoreNV(sums[0], Sums(own).at, gl_SubgroupID * TILE_M * TILE_N, TILE_N, false);
}
