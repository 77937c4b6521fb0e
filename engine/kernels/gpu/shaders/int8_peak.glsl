// SPDX-License-Identifier: GPL-3.0-or-later
// As many products of int8 as a device makes without matrix units: sixteen numbers of an invocation stay in registers, and each is a
// factor of its own next value, so that no compiler sums them in advance. The shader that includes this says what multiplied() is.

layout(local_size_x = 128) in;
const uint sums = 16;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Integers { int at[]; };

// Order and meaning as PeakConstants in gpu_peaks.cpp.
layout(push_constant) uniform Constants {
    uint64_t numbers;  // a factor and an offset, and behind 8 KiB of them 4 KiB for each group
    uint rounds;
} c;

void main() {
    const int factor = Integers(c.numbers).at[0], offset = Integers(c.numbers).at[1];
    int values[sums];
    [[unroll]] for (uint i = 0; i < sums; ++i) values[i] = int(gl_LocalInvocationIndex + i);
    [[dont_unroll]] for (uint round_ = 0; round_ < c.rounds; ++round_)
        [[unroll]] for (uint i = 0; i < sums; ++i) values[i] = multiplied(values[i], factor) + offset;
    [[unroll]] for (uint i = 1; i < sums; ++i) values[0] += values[i];
    Integers(c.numbers + 8192ul + 4096ul * uint64_t(gl_WorkGroupID.x)).at[gl_LocalInvocationIndex] = values[0];
}
