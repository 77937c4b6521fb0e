#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// What linear_scalar.comp computes, to the bit, without shared memory and barriers: for devices on which shared memory is no closer
// than any other, in subgroups of eight. A group computes 64 rows by 64 outputs, a subgroup eight of the rows: each invocation every
// eighth output. It reads one row and gives it to the others, since such devices carry out a read as a loop over the invocations.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "numbers.glsl"
#include "direct_reads.glsl"
#include "linear_epilogue.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, each = 8;

shared float finishing[each * each * tile];  // [sum][invocation]: each invocation's own

// Of each row's number by those of this invocation's outputs.
#define ADD_PRODUCTS                                                                                                               \
    [[unroll]] for (uint i = 0; i < each; ++i) {                                                                                   \
        const float a = subgroupBroadcast(own, i);                                                                                 \
        [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a, b[j], sums[i * each + j]);                          \
    }

void main() {
    const uint me = gl_LocalInvocationIndex, myOut = gl_SubgroupInvocationID;
    const uint firstRow = gl_WorkGroupID.y * tile + gl_SubgroupID * each, firstOut = gl_WorkGroupID.x * tile;
    if (firstRow >= c.rows) return;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeight = (c.flags & 2u) != 0;
    // Rows and outputs behind the last one are it once more; nobody writes their sums.
    const uint64_t xRow = rowAddress(c.x, min(firstRow + myOut, c.rows - 1), c.xStride, narrowX);
    uint64_t weightRows[each];
    [[unroll]] for (uint j = 0; j < each; ++j)
        weightRows[j] = rowAddress(c.weight, min(firstOut + j * 8 + myOut, c.outs - 1), c.weightStride, narrowWeight);
    float sums[each * each];
    [[unroll]] for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    const bool inPairs = liesInPairs(c.x, c.xStride, narrowX) && liesInPairs(c.weight, c.weightStride, narrowWeight);
    for (uint first = 0; first < (inPairs ? c.ins : 0); first += 2) {
        const vec2 ownPair = readPair(xRow, first, narrowX);
        vec2 pairs[each];
        [[unroll]] for (uint j = 0; j < each; ++j) pairs[j] = readPair(weightRows[j], first, narrowWeight);
        for (uint k = first; k < min(first + 2, c.ins); ++k) {
            const float own = k == first ? ownPair.x : ownPair.y;
            float b[each];
            [[unroll]] for (uint j = 0; j < each; ++j) b[j] = k == first ? pairs[j].x : pairs[j].y;
            ADD_PRODUCTS
        }
    }
    for (uint k = 0; k < (inPairs ? 0 : c.ins); ++k) {
        const float own = readDirectly(xRow, k, narrowX);
        float b[each];
        [[unroll]] for (uint j = 0; j < each; ++j) b[j] = readDirectly(weightRows[j], k, narrowWeight);
        ADD_PRODUCTS
    }
    // Drivers would compile 64 copies of what becomes of a sum. Where a loop that is not unrolled lies in one that is, Mesa unrolls
    // neither, and keeps the sums in memory.
    [[unroll]] for (uint i = 0; i < each * each; ++i) finishing[i * tile + me] = sums[i];
    const uint rows = min(each, c.rows - firstRow);
    for (uint i = 0; i < rows * each; ++i) {
        const uint row = firstRow + i / each, column = firstOut + i % each * 8 + myOut;
        if (column < c.outs) writeOutput(row, column, finishing[i * tile + me]);
    }
}
