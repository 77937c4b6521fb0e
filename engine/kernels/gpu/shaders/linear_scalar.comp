#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = [y +] gate * activation(x * transposed(weight) + bias) without a matrix unit. A group computes 64 rows by 64 outputs,
// an invocation 8 by 8 of them; factors pass through shared memory 16 inputs at a time.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, inputs = 16, each = 8;

// Order and meaning as LinearConstants in gpu_linear.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, weight, bias, gate, y;
    uint rows, outs, ins, xStride, weightStride, yStride;
    uint activation;  // 0 none, 1 GELU tanh, 2 GELU erf, 3 SiLU
    uint flags;       // 1 x, 2 weight, 4 y are bf16; 8 bias, 16 gate are there; 32 add to y
} c;

shared float xTile[inputs * tile];       // [input][row]
shared float weightTile[inputs * tile];  // [input][output]

// Abramowitz and Stegun 7.1.26, within 1.5e-7.
float erf_(float x) {
    const float t = 1.0 / (1.0 + 0.3275911 * abs(x));
    const float p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - p * exp(-x * x));
}

float activated(float x) {
    if (c.activation == 1) {
        // tanh of large values is NaN on some drivers
        const float inner = clamp(0.7978845608028654 * (x + 0.044715 * x * x * x), -15.0, 15.0);
        return 0.5 * x * (1.0 + tanh(inner));
    }
    if (c.activation == 2)
        return 0.5 * x * (1.0 + erf_(x * 0.7071067811865476));
    if (c.activation == 3)
        return x / (1.0 + exp(-x));
    return x;
}

void main() {
    const uint firstOut = gl_WorkGroupID.x * tile, firstRow = gl_WorkGroupID.y * tile;
    const uint me = gl_LocalInvocationIndex, myRow = me / 8, myOut = me % 8;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeight = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    // Each invocation fetches one row of x and one of the weight.
    const bool hasRow = firstRow + me < c.rows, hasOut = firstOut + me < c.outs;
    const uint64_t xRow = rowAddress(c.x, firstRow + me, c.xStride, narrowX);
    const uint64_t weightRow = rowAddress(c.weight, firstOut + me, c.weightStride, narrowWeight);
    float sums[each * each];
    for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    for (uint first = 0; first < c.ins; first += inputs) {
        barrier();
        for (uint k = 0; k < inputs; ++k) {
            const bool within = first + k < c.ins;
            xTile[k * tile + me] = within && hasRow ? readNumber(xRow, first + k, narrowX) : 0.0;
            weightTile[k * tile + me] = within && hasOut ? readNumber(weightRow, first + k, narrowWeight) : 0.0;
        }
        barrier();
        for (uint k = 0; k < inputs; ++k) {
            float a[each], b[each];
            [[unroll]] for (uint i = 0; i < each; ++i) a[i] = xTile[k * tile + myRow * each + i];
            [[unroll]] for (uint i = 0; i < each; ++i) b[i] = weightTile[k * tile + i * 8 + myOut];
            [[unroll]] for (uint i = 0; i < each; ++i)
                [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
        }
    }
    [[unroll]] for (uint i = 0; i < each; ++i)
        [[unroll]] for (uint j = 0; j < each; ++j) {
            const uint row = firstRow + myRow * each + i, column = firstOut + j * 8 + myOut;
            if (row < c.rows && column < c.outs) {
                float value = sums[i * each + j];
                if ((c.flags & 8u) != 0) value += readNumber(c.bias, column, false);
                value = activated(value);
                if ((c.flags & 16u) != 0) value *= readNumber(c.gate, column, false);
                const uint64_t yRow = rowAddress(c.y, row, c.yStride, narrowY);
                if ((c.flags & 32u) != 0) value += readNumber(yRow, column, narrowY);
                writeNumber(yRow, column, narrowY, value);
            }
        }
}
