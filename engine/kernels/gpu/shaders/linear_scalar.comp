#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = [y +] gate * activation(x * transposed(weight) + bias) without a matrix unit. A group computes 64 rows by 64 outputs,
// an invocation 8 by 8 of them; factors pass through shared memory 16 inputs at a time.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "linear_epilogue.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, inputs = 16, each = 8;

shared float xTile[inputs * tile];       // [input][row]
shared float weightTile[inputs * tile];  // [input][output]

void main() {
    const uint firstOut = gl_WorkGroupID.x * tile, firstRow = gl_WorkGroupID.y * tile;
    const uint me = gl_LocalInvocationIndex, myRow = me / 8, myOut = me % 8;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeight = (c.flags & 2u) != 0;
    // Each invocation fetches one row of x and one of the weight.
    const bool hasRow = firstRow + me < c.rows, hasOut = firstOut + me < c.outs;
    const uint64_t xRow = rowAddress(c.x, firstRow + me, c.xStride, narrowX);
    const uint64_t weightRow = rowAddress(c.weight, firstOut + me, c.weightStride, narrowWeight);
    // All rows of an invocation may lie behind the last one: it fetches for the others and multiplies nothing.
    const bool multiplies = firstRow + myRow * each < c.rows;
    float sums[each * each];
    for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    for (uint first = 0; first < c.ins; first += inputs) {
        barrier();
        for (uint k = 0; k < inputs; ++k) {
            const bool within = first + k < c.ins;
            xTile[k * tile + me] = within && hasRow ? readNumber(xRow, first + k, narrowX) : 0.0;
            weightTile[k * tile + me] = within && hasOut ? readNumber(weightRow, first + k, narrowWeight) : 0.0;
        }
        barrier();
        if (multiplies) for (uint k = 0; k < inputs; ++k) {
            float a[each], b[each];
            [[unroll]] for (uint i = 0; i < each; ++i) a[i] = xTile[k * tile + myRow * each + i];
            [[unroll]] for (uint i = 0; i < each; ++i) b[i] = weightTile[k * tile + i * 8 + myOut];
            [[unroll]] for (uint i = 0; i < each; ++i)
                [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
        }
    }
    // Sums pass through shared memory, each invocation's own, so that a loop finishes them: drivers would compile 64 copies.
    barrier();
    [[unroll]] for (uint i = 0; i < each; ++i) {
        [[unroll]] for (uint j = 0; j < each; ++j) xTile[j * tile + me] = sums[i * each + j];
        const uint row = firstRow + myRow * each + i;
        for (uint j = 0; j < each; ++j) {
            const uint column = firstOut + j * 8 + myOut;
            if (row < c.rows && column < c.outs) writeOutput(row, column, xTile[j * tile + me]);
        }
    }
}
