#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of each f32 row: a group a row, in two passes, so that large means
// cost no digits. Of an RMS norm the mean counts as 0, and there is no beta.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "row_sum.glsl"

layout(local_size_x = rowThreads) in;

// Order and meaning as LayerNormConstants in gpu_rows.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, gamma, beta, y;
    uint width, xStride, yStride;
    float epsilon;
    uint flags;  // 1 y is bf16; 2 gamma and 4 beta are there; 8 RMS norm
} c;

void main() {
    const uint row = gl_WorkGroupID.x, me = gl_LocalInvocationIndex;
    const bool narrowY = (c.flags & 1u) != 0;
    const uint64_t x = rowAddress(c.x, row, c.xStride, false), y = rowAddress(c.y, row, c.yStride, narrowY);
    float part = 0.0, mean = 0.0;
    if ((c.flags & 8u) == 0) {
        for (uint i = me; i < c.width; i += rowThreads) part += readNumber(x, i, false);
        mean = rowSum(part) / float(c.width);
        part = 0.0;
    }
    for (uint i = me; i < c.width; i += rowThreads) {
        const float difference = readNumber(x, i, false) - mean;
        part += difference * difference;
    }
    const float factor = 1.0 / sqrt(rowSum(part) / float(c.width) + c.epsilon);
    for (uint i = me; i < c.width; i += rowThreads) {
        float value = (readNumber(x, i, false) - mean) * factor;
        if ((c.flags & 2u) != 0) value *= readNumber(c.gamma, i, false);
        if ((c.flags & 4u) != 0) value += readNumber(c.beta, i, false);
        writeNumber(y, i, narrowY, value);
    }
}
