#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// What convolution_scalar.comp computes, to the bit, without shared memory and barriers: for devices on which shared memory is no
// closer than any other. A group computes 64 pixels by 64 outputs, an invocation 8 by 8 of them, or by 4 or 1 of few outputs.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "convolution.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, each = 8;

shared float finishing[each * tile];  // [output][invocation]: each invocation's own

float asFactor(float value) {
    return (c.flags & 8u) != 0 ? uintBitsToFloat(roundedToNarrow(value) << 16) : value;
}

uint64_t xRows[each];
bool inside[each];
float sums[each * each];

// Adds the products of a tap's features by the weights of `width` outputs of this invocation, the first in row `firstWeight`.
#define ADD_TAP(width)                                                                                                             \
    for (uint feature = 0; feature < c.ins; ++feature) {                                                                           \
        const uint64_t weights = rowAddress(c.weights, firstWeight + feature, c.weightStride, narrowWeights);                      \
        float a[each], b[width];                                                                                                    \
        [[unroll]] for (uint i = 0; i < each; ++i) a[i] = inside[i] ? asFactor(readNumber(xRows[i], feature, narrowX)) : 0.0;      \
        [[unroll]] for (uint j = 0; j < width; ++j) b[j] = readNumber(weights, min(firstOut + j * 8 + myOut, c.outs - 1), narrowWeights); \
        [[unroll]] for (uint i = 0; i < each; ++i)                                                                                 \
            [[unroll]] for (uint j = 0; j < width; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);                   \
    }

void main() {
    const uint me = gl_LocalInvocationIndex, myOut = me % 8;
    const uint firstOut = gl_WorkGroupID.x * tile, firstPixel = c.firstPixel + gl_WorkGroupID.y * tile + me / 8 * each;
    if (firstPixel >= squareCount()) return;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeights = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    const uint outs = c.outs <= 8 ? 1 : c.outs - firstOut <= tile / 2 ? 4 : 8;
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2);
    ivec2 sources[each];
    [[unroll]] for (uint i = 0; i < each; ++i) sources[i] = firstSource(firstPixel + i);
    [[unroll]] for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    for (uint frame = 0; frame < byteOf(c.kernel, 0); ++frame) {
        const uint64_t pixels = c.frames[frame];
        if (pixels == 0) continue;
        for (uint tap = 0; tap < rows * columns; ++tap) {
            const uint firstWeight = (frame * rows * columns + tap) * c.ins;
            [[unroll]] for (uint i = 0; i < each; ++i) {
                const ivec2 source = sources[i] + ivec2(tap / columns, tap % columns);
                inside[i] = isInside(source);
                xRows[i] = rowAddress(pixels, inside[i] ? uint(source.x) * c.width + uint(source.y) : 0, c.xStride, narrowX);
            }
            if (outs == 1) ADD_TAP(1)
            else if (outs == 4) ADD_TAP(4)
            else ADD_TAP(8)
        }
    }
    // As in convolution_scalar.comp: drivers would compile 64 copies.
    [[unroll]] for (uint i = 0; i < each; ++i) {
        [[unroll]] for (uint j = 0; j < each; ++j) finishing[j * tile + me] = sums[i * each + j];
        const uvec2 pixel = outputOf(firstPixel + i);
        if (!hasOutput(firstPixel + i, pixel)) continue;
        const uint64_t yRow = rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, narrowY);
        for (uint j = 0; j < outs; ++j) {
            const uint channel = firstOut + j * 8 + myOut;
            if (channel >= c.outs) break;
            float value = finishing[j * tile + me];
            if (c.bias != 0) value += readNumber(c.bias, channel, false);
            if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
            writeNumber(yRow, channel, narrowY, value);
        }
    }
}
