#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// What linear_scalar.comp computes, to the bit, without shared memory and barriers: for devices on which shared memory is no closer
// than any other. A group computes 64 rows by 64 outputs, an invocation 8 by 8 of them.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "linear_epilogue.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, each = 8;

shared float finishing[each * tile];  // [output][invocation]: each invocation's own

void main() {
    const uint me = gl_LocalInvocationIndex, myOut = me % 8;
    const uint firstRow = gl_WorkGroupID.y * tile + me / 8 * each, firstOut = gl_WorkGroupID.x * tile;
    if (firstRow >= c.rows) return;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeight = (c.flags & 2u) != 0;
    // Rows and outputs behind the last one are it once more; nobody writes their sums.
    uint64_t xRows[each], weightRows[each];
    [[unroll]] for (uint i = 0; i < each; ++i) {
        xRows[i] = rowAddress(c.x, min(firstRow + i, c.rows - 1), c.xStride, narrowX);
        weightRows[i] = rowAddress(c.weight, min(firstOut + i * 8 + myOut, c.outs - 1), c.weightStride, narrowWeight);
    }
    float sums[each * each];
    [[unroll]] for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    for (uint k = 0; k < c.ins; ++k) {
        float a[each], b[each];
        [[unroll]] for (uint i = 0; i < each; ++i) a[i] = readNumber(xRows[i], k, narrowX);
        [[unroll]] for (uint j = 0; j < each; ++j) b[j] = readNumber(weightRows[j], k, narrowWeight);
        [[unroll]] for (uint i = 0; i < each; ++i)
            [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
    }
    // As in linear_scalar.comp: drivers would compile 64 copies.
    [[unroll]] for (uint i = 0; i < each; ++i) {
        [[unroll]] for (uint j = 0; j < each; ++j) finishing[j * tile + me] = sums[i * each + j];
        for (uint j = 0; j < each; ++j) {
            const uint column = firstOut + j * 8 + myOut;
            if (firstRow + i < c.rows && column < c.outs) writeOutput(firstRow + i, column, finishing[j * tile + me]);
        }
    }
}
