#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of f32 or bf16 as int8 with a scale each, as roundToInt8() on the CPU: the largest magnitude becomes 127. A group a row. Rows are
// filled with zeros.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

const uint threads = 128;
layout(local_size_x = threads) in;

// Order and meaning as RoundingConstants in gpu_linear.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, values, scales;
    uint width, stride;
    uint words;  // of four int8 numbers, of a filled row
    uint flags;  // 1 x is bf16
} c;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Fours { uint at[]; };

shared uint largest[threads];  // magnitudes by their bits, which order as the magnitudes do, infinities and NaNs last

void main() {
    const uint me = gl_LocalInvocationIndex, row = gl_WorkGroupID.x;
    const bool narrowX = (c.flags & 1u) != 0;
    const uint64_t x = rowAddress(c.x, row, c.stride, narrowX);
    uint most = 0;
    for (uint i = me; i < c.width; i += threads) most = max(most, floatBitsToUint(readNumber(x, i, narrowX)) & 0x7fffffffu);
    largest[me] = most;
    barrier();
    for (uint half_ = threads / 2; half_ > 0; half_ /= 2) {
        if (me < half_) largest[me] = max(largest[me], largest[me + half_]);
        barrier();
    }
    const float magnitude = uintBitsToFloat(largest[0]);
    const bool isFinite = largest[0] < 0x7f800000u;
    const bool holdsSteps = isFinite && magnitude > 3.8e-37;  // below, 127 / magnitude is infinite
    const float toSteps = holdsSteps ? 127.0 / magnitude : 0.0;
    if (me == 0) Floats(c.scales).at[row] = isFinite ? (holdsSteps ? magnitude / 127.0 : 0.0) : uintBitsToFloat(0x7fc00000u);
    const uint64_t values = c.values + uint64_t(row) * uint64_t(c.words) * 4ul;
    for (uint i = me; i < c.words; i += threads) {
        uint word = 0;
        [[unroll]] for (uint j = 0; j < 4; ++j) {
            const uint column = 4 * i + j;
            if (holdsSteps && column < c.width) {
                const int steps = clamp(int(roundEven(readNumber(x, column, narrowX) * toSteps)), -127, 127);
                word |= (uint(steps) & 0xffu) << (8 * j);
            }
        }
        Fours(values).at[i] = word;
    }
}
