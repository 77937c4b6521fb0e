#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// What convolution_scalar.comp computes, to the bit, without shared memory and barriers: for devices on which shared memory is no
// closer than any other, in subgroups of eight. A group computes 64 pixels by 64 outputs, a subgroup eight of the pixels: each
// invocation every eighth output, or fewer where the convolution has few. It reads the features of one pixel and gives them to the
// others, since such devices carry out a read as a loop over the invocations.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "numbers.glsl"
#include "convolution.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, each = 8;

shared float finishing[each * each * tile];  // [sum][invocation]: each invocation's own

float asFactor(float value) {
    return (c.flags & 8u) != 0 ? uintBitsToFloat(roundedToNarrow(value) << 16) : value;
}

// Adds the products of a tap's features by the weights of `width` outputs of this invocation, the first in row `firstWeight`.
#define ADD_TAP(width)                                                                                                             \
    for (uint feature = 0; feature < c.ins; ++feature) {                                                                           \
        const uint64_t weights = rowAddress(c.weights, firstWeight + feature, c.weightStride, narrowWeights);                      \
        const float own = inside ? asFactor(readNumber(xRow, feature, narrowX)) : 0.0;                                             \
        float b[width];                                                                                                            \
        [[unroll]] for (uint j = 0; j < width; ++j) b[j] = readNumber(weights, min(firstOut + j * 8 + myOut, c.outs - 1), narrowWeights); \
        [[unroll]] for (uint i = 0; i < each; ++i) {                                                                               \
            const float a = subgroupBroadcast(own, i);                                                                             \
            [[unroll]] for (uint j = 0; j < width; ++j) sums[i * each + j] = fma(a, b[j], sums[i * each + j]);                      \
        }                                                                                                                          \
    }

void main() {
    const uint me = gl_LocalInvocationIndex, myOut = gl_SubgroupInvocationID;
    const uint firstOut = gl_WorkGroupID.x * tile;
    const uint firstPixel = c.firstPixel + gl_WorkGroupID.y * tile + gl_SubgroupID * each;
    if (firstPixel >= squareCount()) return;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeights = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    const uint left = c.outs - firstOut, outs = left <= 8 ? 1 : left <= 16 ? 2 : left <= 32 ? 4 : 8;
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2);
    const ivec2 mySource = firstSource(firstPixel + myOut);
    float sums[each * each];
    [[unroll]] for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    for (uint frame = 0; frame < byteOf(c.kernel, 0); ++frame) {
        const uint64_t pixels = c.frames[frame];
        if (pixels == 0) continue;
        for (uint tap = 0; tap < rows * columns; ++tap) {
            const uint firstWeight = (frame * rows * columns + tap) * c.ins;
            const ivec2 source = mySource + ivec2(tap / columns, tap % columns);
            const bool inside = isInside(source);
            const uint64_t xRow = rowAddress(pixels, inside ? uint(source.x) * c.width + uint(source.y) : 0, c.xStride, narrowX);
            if (outs == 1) ADD_TAP(1)
            else if (outs == 2) ADD_TAP(2)
            else if (outs == 4) ADD_TAP(4)
            else ADD_TAP(8)
        }
    }
    // Drivers would compile 64 copies of what becomes of a sum. Where a loop that is not unrolled lies in one that is, Mesa unrolls
    // neither, and keeps the sums in memory.
    [[unroll]] for (uint i = 0; i < each * each; ++i) finishing[i * tile + me] = sums[i];
    for (uint i = 0; i < each; ++i) {
        const uvec2 pixel = outputOf(firstPixel + i);
        if (!hasOutput(firstPixel + i, pixel)) continue;
        const uint64_t yRow = rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, narrowY);
        for (uint j = 0; j < outs; ++j) {
            const uint channel = firstOut + j * 8 + myOut;
            if (channel >= c.outs) break;
            float value = finishing[(i * each + j) * tile + me];
            if (c.bias != 0) value += readNumber(c.bias, channel, false);
            if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
            writeNumber(yRow, channel, narrowY, value);
        }
    }
}
