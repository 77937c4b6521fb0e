#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Normalized attention guidance of each row, in place: a group a row, which is read twice.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "row_sum.glsl"

layout(local_size_x = rowThreads) in;

// Order and meaning as AttentionGuidanceConstants in gpu_attention_guidance.cpp.
layout(push_constant) uniform Constants {
    uint64_t prompt, negative;
    uint width, promptStride, negativeStride;
    uint flags;  // 1 prompt, 2 negative are bf16
    float scale, tau, alpha;
} c;

void main() {
    const uint me = gl_LocalInvocationIndex;
    const bool narrowPrompt = (c.flags & 1u) != 0, narrowNegative = (c.flags & 2u) != 0;
    const uint64_t prompt = rowAddress(c.prompt, gl_WorkGroupID.x, c.promptStride, narrowPrompt);
    const uint64_t negative = rowAddress(c.negative, gl_WorkGroupID.x, c.negativeStride, narrowNegative);
    float ofPrompt = 0.0, ofGuided = 0.0;
    for (uint i = me; i < c.width; i += rowThreads) {
        const float p = readNumber(prompt, i, narrowPrompt);
        ofPrompt += abs(p);
        ofGuided += abs(c.scale * p - (c.scale - 1.0) * readNumber(negative, i, narrowNegative));
    }
    ofPrompt = rowSum(ofPrompt);
    ofGuided = rowSum(ofGuided);
    // A quotient, as published: products may round to the other side of the border.
    const bool exceeds = ofPrompt == 0.0 ? ofGuided > 0.0 : ofGuided / ofPrompt > c.tau;
    const float limit = exceeds ? ofPrompt * c.tau / (ofGuided + 1.0e-7) : 1.0;
    for (uint i = me; i < c.width; i += rowThreads) {
        const float p = readNumber(prompt, i, narrowPrompt);
        const float g = c.scale * p - (c.scale - 1.0) * readNumber(negative, i, narrowNegative);
        writeNumber(prompt, i, narrowPrompt, c.alpha * (limit * g) + (1.0 - c.alpha) * p);
    }
}
