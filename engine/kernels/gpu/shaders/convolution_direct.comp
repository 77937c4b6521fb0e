#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// What convolution_scalar.comp computes, to the bit, without shared memory and barriers: for devices on which shared memory is no
// closer than any other, in subgroups of eight. A group computes 64 pixels by 64 outputs, a subgroup eight of the pixels: each
// invocation every eighth pair of outputs, or every eighth output where they are odd or few. It reads the features of one pixel and
// gives them to the others, since such devices carry out a read as a loop over the invocations.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "numbers.glsl"
#include "direct_reads.glsl"
#include "convolution.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, each = 8;

shared float finishing[each * each * tile];  // [sum][invocation]: each invocation's own

float asFactor(float value) {
    return (c.flags & 8u) != 0 ? uintBitsToFloat(roundedToNarrow(value) << 16) : value;
}

// Adds the products of the taps by the weights of some outputs, row by row of the weights: ADD is one of those below.
#define ADD_TAPS(ADD, which)                                                                                                       \
    for (uint frame = 0; frame < byteOf(c.kernel, 0); ++frame) {                                                                   \
        const uint64_t pixels = c.frames[frame];                                                                                   \
        uint64_t weights = rowAddress(c.weights, frame * rows * columns * c.ins, c.weightStride, narrowWeights);                   \
        for (uint row = 0; row < (pixels == 0 ? 0 : rows); ++row)                                                                  \
            for (uint column = 0; column < columns; ++column) {                                                                    \
                const ivec2 source = mySource + ivec2(row, column);                                                                \
                const bool inside = isInside(source);                                                                              \
                const uint pixel = inside ? uint(source.x) * c.width + uint(source.y) : 0;                                         \
                const uint64_t xRow = rowAddress(pixels, pixel, c.xStride, narrowX);                                               \
                for (uint feature = 0; feature < c.ins; ++feature, weights += weightBytes) {                                       \
                    const float own = inside ? asFactor(readDirectly(xRow, feature, narrowX)) : 0.0;                               \
                    ADD(which)                                                                                                     \
                }                                                                                                                  \
            }                                                                                                                      \
    }

// An output.
#define ADD_OUTPUT(output_)                                                                                                        \
    const float b = readDirectly(weights, min(output_, c.outs - 1), narrowWeights);                                                \
    [[unroll]] for (uint i = 0; i < each; ++i) sums[i] = fma(subgroupBroadcast(own, i), b, sums[i]);

// Every eighth pair of outputs, `width` of them.
#define ADD_PAIRS(width)                                                                                                           \
    vec2 b[width];                                                                                                                 \
    [[unroll]] for (uint j = 0; j < width; ++j)                                                                                    \
        b[j] = readPair(weights, min(firstOut + (j * 8 + myOut) * 2, c.outs - 2), narrowWeights);                                  \
    [[unroll]] for (uint i = 0; i < each; ++i) {                                                                                   \
        const float a = subgroupBroadcast(own, i);                                                                                 \
        [[unroll]] for (uint j = 0; j < width; ++j) {                                                                              \
            sums[i * each + 2 * j] = fma(a, b[j].x, sums[i * each + 2 * j]);                                                       \
            sums[i * each + 2 * j + 1] = fma(a, b[j].y, sums[i * each + 2 * j + 1]);                                               \
        }                                                                                                                          \
    }

void main() {
    const uint me = gl_LocalInvocationIndex, myOut = gl_SubgroupInvocationID;
    const uint firstOut = gl_WorkGroupID.x * tile;
    const uint firstPixel = c.firstPixel + gl_WorkGroupID.y * tile + gl_SubgroupID * each;
    if (firstPixel >= squareCount()) return;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeights = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    const uint left = c.outs - firstOut, outs = left <= 8 ? 1 : left <= 16 ? 2 : left <= 32 ? 4 : 8;
    const bool inPairs = outs > 1 && c.outs % 2 == 0 && liesInPairs(c.weights, c.weightStride, narrowWeights);
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2), weightBytes = bytesOf(c.weightStride, narrowWeights);
    const ivec2 mySource = firstSource(firstPixel + myOut);
    float sums[each * each];
    // Such devices carry out a little of every branch, so that the choice stands outside of the loops.
    for (uint j = 0; j < (inPairs ? 0 : outs); ++j) {
        [[unroll]] for (uint i = 0; i < each; ++i) sums[i] = 0.0;
        ADD_TAPS(ADD_OUTPUT, firstOut + j * 8 + myOut)
        [[unroll]] for (uint i = 0; i < each; ++i) finishing[(i * each + j) * tile + me] = sums[i];
    }
    if (inPairs) {
        [[unroll]] for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
        if (outs == 2) ADD_TAPS(ADD_PAIRS, 1)
        else if (outs == 4) ADD_TAPS(ADD_PAIRS, 2)
        else ADD_TAPS(ADD_PAIRS, 4)
        // Drivers would compile 64 copies of what becomes of a sum. Where a loop that is not unrolled lies in one that is, Mesa
        // unrolls neither, and keeps the sums in memory.
        [[unroll]] for (uint i = 0; i < each * each; ++i) finishing[i * tile + me] = sums[i];
    }
    const uint mine = min(each, squareCount() - firstPixel);
    for (uint i = 0; i < mine; ++i) {
        const uvec2 pixel = outputOf(firstPixel + i);
        if (!hasOutput(firstPixel + i, pixel)) continue;
        const uint64_t yRow = rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, narrowY);
        for (uint j = 0; j < outs; ++j) {
            const uint channel = firstOut + (inPairs ? (j / 2 * 8 + myOut) * 2 + j % 2 : j * 8 + myOut);
            if (channel >= c.outs) continue;
            float value = finishing[(i * each + j) * tile + me];
            if (c.bias != 0) value += readNumber(c.bias, channel, false);
            if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
            writeNumber(yRow, channel, narrowY, value);
        }
    }
}
