#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the keys of one partial attention to another, with a bias for the frame of each query, or that bias alone, or
// divides a partial by its sum into rows: an invocation a number.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;

// Order and meaning as MergeConstants in gpu_attention.cpp.
layout(push_constant) uniform Constants {
    uint64_t output_, maximum, sum, partOutput, partMaximum, partSum, y;
    uint queries, heads, headDim, yStride;
    uint firstRow;  // of heads * queries
    uint flags;     // 1 y is bf16; 2 finish into y; 4 add the bias to the partial alone; 8 there is a bias; else merge
    uint64_t bias;  // 8: f32, of each frame of queries, for the part's keys
    uint firstToken, tokensPerFrame;
} c;

void main() {
    const uint column = gl_GlobalInvocationID.x, row = c.firstRow + gl_WorkGroupID.y;
    const bool within = column < c.headDim;
    const uint64_t output_ = rowAddress(c.output_, row, c.headDim, false);
    const float value = within ? readNumber(output_, column, false) : 0.0;
    const float sum = readNumber(c.sum, row, false);
    if ((c.flags & 2u) != 0) {
        const bool isNarrow = (c.flags & 1u) != 0;
        const uint head = row / c.queries, query = row % c.queries;
        if (within)
            writeNumber(rowAddress(c.y, query, c.yStride, isNarrow), head * c.headDim + column, isNarrow, sum > 0.0 ? value / sum : 0.0);
        return;
    }
    float bias = 0.0;
    if ((c.flags & 8u) != 0)
        bias = readNumber(c.bias, (c.firstToken + row % c.queries) / c.tokensPerFrame, false);
    const float mine = readNumber(c.maximum, row, false);
    if ((c.flags & 4u) != 0) {
        barrier();  // the whole row has read it
        if (column == 0)
            writeNumber(c.maximum, row, false, mine + bias);
        return;
    }
    const float other = readNumber(c.partMaximum, row, false) + bias;
    const float highest = max(mine, other);
    // Minus infinity stands where there was no key; the difference of two of them would be no number.
    const float keepMine = isinf(mine) ? 0.0 : exp2(mine - highest), keepOther = isinf(other) ? 0.0 : exp2(other - highest);
    const float merged = sum * keepMine + readNumber(c.partSum, row, false) * keepOther;
    barrier();  // the whole row has read its statistics: a head fits one group
    if (within)
        writeNumber(output_, column, false, value * keepMine + readNumber(rowAddress(c.partOutput, row, c.headDim, false), column, false) * keepOther);
    if (column == 0) {
        writeNumber(c.maximum, row, false, highest);
        writeNumber(c.sum, row, false, merged);
    }
}
