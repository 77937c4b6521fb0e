#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a word 1 where an f32 is NaN or infinite: a row of groups for each row. Bits are looked at, since drivers may take floats
// for finite. All that write write the same: the word lies in the host's memory, where not every card has atomics.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Found { uint any; };

// Order and meaning as FiniteConstants in gpu_rows.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, found;
    uint width, stride;
} c;

void main() {
    const uint64_t x = rowAddress(c.x, gl_WorkGroupID.x, c.stride, false);
    for (uint i = gl_LocalInvocationIndex; i < c.width; i += 128)
        if ((Words(x).at[i] & 0x7f800000u) == 0x7f800000u) Found(c.found).any = 1u;
}
