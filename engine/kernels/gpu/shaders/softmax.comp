#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// The softmax of each f32 row, in place: a group a row, which is read three times.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "row_sum.glsl"

layout(local_size_x = rowThreads) in;

// Order and meaning as SoftmaxConstants in gpu_wide_attention.cpp.
layout(push_constant) uniform Constants {
    uint64_t x;
    uint width, stride;
    float scale;  // times log2(e)
} c;

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint64_t x = rowAddress(c.x, gl_WorkGroupID.x, c.stride, false);
    float most = -3.0e38;
    for (uint i = me; i < c.width; i += rowThreads) most = max(most, readNumber(x, i, false) * c.scale);
    most = rowMaximum(most);
    float part = 0.0;
    for (uint i = me; i < c.width; i += rowThreads) {
        const float weight = exp2(readNumber(x, i, false) * c.scale - most);
        writeNumber(x, i, false, weight);
        part += weight;
    }
    const float factor = 1.0 / rowSum(part);
    for (uint i = me; i < c.width; i += rowThreads) writeNumber(x, i, false, readNumber(x, i, false) * factor);
}
