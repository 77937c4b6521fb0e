#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// As many multiply-adds in f32 as a device makes without matrix units: sixteen sums of an invocation stay in registers.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;
const uint sums = 16;

// Order and meaning as PeakConstants in gpu_peaks.cpp.
layout(push_constant) uniform Constants {
    uint64_t numbers;  // two factors, and behind 8 KiB of them 4 KiB for each group
    uint rounds;
} c;

void main() {
    const float scale = readNumber(c.numbers, 0, false), offset = readNumber(c.numbers, 1, false);
    float values[sums];
    [[unroll]] for (uint i = 0; i < sums; ++i) values[i] = float(gl_LocalInvocationIndex + i);
    [[dont_unroll]] for (uint round_ = 0; round_ < c.rounds; ++round_)
        [[unroll]] for (uint i = 0; i < sums; ++i) values[i] = fma(values[i], scale, offset);
    [[unroll]] for (uint i = 1; i < sums; ++i) values[0] += values[i];
    writeNumber(c.numbers + 8192ul + 4096ul * uint64_t(gl_WorkGroupID.x), gl_LocalInvocationIndex, false, values[0]);
}
