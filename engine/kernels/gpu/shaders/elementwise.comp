#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// into = into + values, into * values and so on (see `operation`), element by element: a row of groups for each row.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "activations.glsl"

layout(local_size_x = 128) in;

// Order and meaning as ElementwiseConstants in gpu_rows.cpp.
layout(push_constant) uniform Constants {
    uint64_t into, values, gate;
    uint width, intoStride, valuesStride;
    // 0 add, 1 multiply, 2 add gated, 3 subtract from values; 4 add, then ReLU; 5 ReLU of values; 6 3 * tanh(values / 3);
    // 7 2 * values - 1; 8 GELU tanh, 9 GELU erf, 10 quick GELU of values; 11 leaky ReLU of values, 12 of into + values, 13 of
    // values with the slope of the column; 14 factor * into + values; 15 values; 16 values in int8, a gate for each row
    uint operation;
    uint flags;      // 1 into, 2 values are bf16
    float factor;    // slope of a leaky ReLU
} c;

float leaky(float value, float slope) {
    return value < 0.0 ? slope * value : value;
}

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Fours { uint at[]; };

// One of the bytes of a row of int8 numbers.
float readByte(uint64_t row, uint column) {
    return float(int(Fours(row).at[column / 4] << (24 - 8 * (column % 4))) >> 24);
}

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= c.width)
        return;
    const bool narrowInto = (c.flags & 1u) != 0, narrowValues = (c.flags & 2u) != 0;
    const uint64_t into = rowAddress(c.into, gl_WorkGroupID.y, c.intoStride, narrowInto);
    if (c.operation == 16) {
        const uint64_t bytes = c.values + uint64_t(gl_WorkGroupID.y) * uint64_t(c.valuesStride);
        writeNumber(into, column, narrowInto, readByte(bytes, column) * readNumber(c.gate, gl_WorkGroupID.y, false));
        return;
    }
    const float value = readNumber(rowAddress(c.values, gl_WorkGroupID.y, c.valuesStride, narrowValues), column, narrowValues);
    float result = readNumber(into, column, narrowInto);
    if (c.operation == 1)
        result *= value;
    else if (c.operation == 2)
        result += value * readNumber(c.gate, column, false);
    else if (c.operation == 3)
        result = value - result;
    else if (c.operation == 4)
        result = result + value < 0.0 ? 0.0 : result + value;  // max() may lose a NaN
    else if (c.operation == 5)
        result = value < 0.0 ? 0.0 : value;
    else if (c.operation == 6)
        result = abs(value) > 45.0 ? 3.0 * sign(value) : 3.0 * tanh(value / 3.0);  // tanh of large values is NaN on some drivers
    else if (c.operation == 7)
        result = 2.0 * value - 1.0;
    else if (c.operation == 8)
        result = geluTanh(value);
    else if (c.operation == 9)
        result = geluErf(value);
    else if (c.operation == 10)
        result = value / (1.0 + exp(-1.702 * value));
    else if (c.operation == 11)
        result = leaky(value, c.factor);
    else if (c.operation == 12)
        result = leaky(result + value, c.factor);
    else if (c.operation == 13)
        result = leaky(value, readNumber(c.gate, column, false));
    else if (c.operation == 14)
        result = c.factor * result + value;
    else if (c.operation == 15)
        result = value;
    else
        result += value;
    writeNumber(into, column, narrowInto, result);
}
