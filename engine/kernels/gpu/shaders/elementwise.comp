#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// into = into + values, into * values, into + values * gate or values - into, element by element: a row of groups for each row.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;

// Order and meaning as ElementwiseConstants in gpu_rows.cpp.
layout(push_constant) uniform Constants {
    uint64_t into, values, gate;
    uint width, intoStride, valuesStride;
    uint operation;  // 0 add, 1 multiply, 2 add gated, 3 subtract from values
    uint flags;      // 1 into, 2 values are bf16
} c;

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= c.width)
        return;
    const bool narrowInto = (c.flags & 1u) != 0, narrowValues = (c.flags & 2u) != 0;
    const uint64_t into = rowAddress(c.into, gl_WorkGroupID.y, c.intoStride, narrowInto);
    const float value = readNumber(rowAddress(c.values, gl_WorkGroupID.y, c.valuesStride, narrowValues), column, narrowValues);
    float result = readNumber(into, column, narrowInto);
    if (c.operation == 1)
        result *= value;
    else if (c.operation == 2)
        result += value * readNumber(c.gate, column, false);
    else if (c.operation == 3)
        result = value - result;
    else
        result += value;
    writeNumber(into, column, narrowInto, result);
}
