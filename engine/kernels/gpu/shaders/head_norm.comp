#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// RMS norm over all heads of a row, then the rotary embedding of each head's pairs, in place: a group a row.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "row_sum.glsl"

layout(local_size_x = rowThreads) in;

// Order and meaning as HeadNormConstants in gpu_rows.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, gamma, cosines, sines;
    uint width, stride, headDim, tokens, firstRow;
    float epsilon;
    uint flags;  // 1 x is bf16; 2 gamma is there; 4 rotated
} c;

void main() {
    const uint me = gl_LocalInvocationIndex, pairs = c.headDim / 2;
    const bool narrow = (c.flags & 1u) != 0, scaled = (c.flags & 2u) != 0, rotated = (c.flags & 4u) != 0;
    const uint64_t x = rowAddress(c.x, gl_WorkGroupID.x, c.stride, narrow);
    float factor = 1.0;
    if (scaled) {
        float part = 0.0;
        for (uint i = me; i < c.width; i += rowThreads) {
            const float value = readNumber(x, i, narrow);
            part += value * value;
        }
        factor = 1.0 / sqrt(rowSum(part) / float(c.width) + c.epsilon);
    }
    const uint token = rotated ? (c.firstRow + gl_WorkGroupID.x) % c.tokens : 0;
    const uint64_t cosines = rowAddress(c.cosines, token, pairs, false);
    const uint64_t sines = rowAddress(c.sines, token, pairs, false);
    for (uint pair = me; pair < c.width / 2; pair += rowThreads) {
        float even = readNumber(x, 2 * pair, narrow) * factor, odd = readNumber(x, 2 * pair + 1, narrow) * factor;
        if (scaled) {
            even *= readNumber(c.gamma, 2 * pair, false);
            odd *= readNumber(c.gamma, 2 * pair + 1, false);
        }
        if (rotated) {
            const float cosine = readNumber(cosines, pair % pairs, false), sine = readNumber(sines, pair % pairs, false);
            const float turned = even * cosine - odd * sine;
            odd = even * sine + odd * cosine;
            even = turned;
        }
        writeNumber(x, 2 * pair, narrow, even);
        writeNumber(x, 2 * pair + 1, narrow, odd);
    }
}
