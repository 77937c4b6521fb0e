// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of linear layers share: their constants, and what becomes of a sum.
#include "activations.glsl"

// Order and meaning as LinearConstants in gpu_linear.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, weight, bias, gate, y;
    uint rows, outs, ins, xStride, weightStride, yStride;
    uint activation;  // 0 none, 1 GELU tanh, 2 GELU erf, 3 SiLU
    uint flags;       // 1 x, 2 weight, 4 y are bf16; 8 bias, 16 gate are there; 32 add to y; 64 four of y, bias, gate and outScales lie at multiples of 16 bytes
    uint64_t rowScales, outScales;  // of int8 factors, f32
} c;

vec4 activated(vec4 x) {
    if (c.activation == 1)
        return geluTanh(x);
    if (c.activation == 2)
        return geluErf(x);
    if (c.activation == 3)
        return x / (1.0 + exp(-x));
    return x;
}

// Of a sum of products of int8 numbers.
float scaled(int sum, uint row, uint column) {
    return float(sum) * (readNumber(c.outScales, column, false) * readNumber(c.rowScales, row, false));
}

// Of the sum of an output, before it is added to y.
float finished(float sum, uint column) {
    if ((c.flags & 8u) != 0) sum += readNumber(c.bias, column, false);
    sum = activated(vec4(sum)).x;
    if ((c.flags & 16u) != 0) sum *= readNumber(c.gate, column, false);
    return sum;
}

// Of what finished() gives.
void writeFinished(uint row, uint column, float value) {
    const bool narrowY = (c.flags & 4u) != 0;
    const uint64_t yRow = rowAddress(c.y, row, c.yStride, narrowY);
    if ((c.flags & 32u) != 0) value += readNumber(yRow, column, narrowY);
    writeNumber(yRow, column, narrowY, value);
}

void writeOutput(uint row, uint column, float sum) {
    writeFinished(row, column, finished(sum, column));
}
