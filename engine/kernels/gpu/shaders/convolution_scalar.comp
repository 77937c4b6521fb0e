#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// One output frame of a convolution over channel-last frames as a matrix product that gathers its factors where they lie,
// without a matrix unit. A group computes 64 pixels by 64 outputs, an invocation 8 by 8 of them; features of a tap pass through
// shared memory 16 at a time. A sum is built in the order of its taps and features, whatever pixels are computed with it.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "convolution.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, features = 16, each = 8;
const uint pitch = tile + 4;   // of a feature in shared memory, so that its neighbours share fewer banks
const uint fours = 4;          // of the features that an invocation fetches together
const uint perFetch = 64 / (features / fours);  // pixels that the group fetches together

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer FourFloats { vec4 at; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer FourNarrow { uvec2 at; };

shared float xTile[features * pitch];       // [feature][pixel]
shared float weightTile[features * pitch];  // [feature][output]

// Four numbers of a row that begin at a multiple of four of them.
vec4 readFour(uint64_t row, uint column, bool isNarrow) {
    if (!isNarrow) return FourFloats(row + uint64_t(column * 4u)).at;
    const uvec2 words = FourNarrow(row + uint64_t(column * 2u)).at;
    return uintBitsToFloat(uvec4(words.x << 16, words.x & 0xffff0000u, words.y << 16, words.y & 0xffff0000u));
}

float asFactor(float value) {
    return (c.flags & 8u) != 0 ? uintBitsToFloat(roundedToNarrow(value) << 16) : value;
}

void main() {
    const uint firstOut = gl_WorkGroupID.x * tile, firstPixel = c.firstPixel + gl_WorkGroupID.y * tile;
    const uint me = gl_LocalInvocationIndex, myPixel = me / 8, myOut = me % 8;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeights = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    const bool inFours = (c.flags & 32u) != 0, fewOuts = c.outs <= 8;  // such as the pixels of a video
    // All pixels of an invocation may lie behind the last one: it fetches for the others and multiplies nothing.
    const bool multiplies = firstPixel + myPixel * each < squareCount();
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2);
    // An invocation fetches all features of one pixel, or in fours some of four pixels.
    ivec2 sources[fours];
    [[unroll]] for (uint i = 0; i < fours; ++i) sources[i] = firstSource(firstPixel + (inFours ? i * perFetch + me / fours : me));
    float sums[each * each];
    for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    uint tap = 0;
    for (uint frame = 0; frame < byteOf(c.kernel, 0); ++frame) {
        const uint64_t pixels = c.frames[frame];
        if (pixels == 0) {
            tap += rows * columns;
            continue;
        }
        for (uint step_ = 0; step_ < rows * columns; ++step_, ++tap) {
            const ivec2 offset = ivec2(step_ / columns, step_ % columns);
            for (uint first = 0; first < c.ins; first += features) {
                barrier();
                if (inFours) {
                    const uint feature = me % fours * fours;
                    [[unroll]] for (uint i = 0; i < fours; ++i) {
                        const ivec2 source = sources[i] + offset;
                        vec4 values = vec4(0.0);
                        if (isInside(source) && first + feature < c.ins)
                            values = readFour(rowAddress(pixels, uint(source.x) * c.width + uint(source.y), c.xStride, narrowX),
                                              first + feature, narrowX);
                        [[unroll]] for (uint j = 0; j < fours; ++j)
                            xTile[(feature + j) * pitch + i * perFetch + me / fours] = asFactor(values[j]);
                    }
                    [[unroll]] for (uint i = 0; i < fours; ++i) {
                        const uint k = i * fours + me / 16, out_ = me % 16 * fours;
                        vec4 values = vec4(0.0);
                        if (first + k < c.ins && firstOut + out_ < c.outs)
                            values = readFour(rowAddress(c.weights, tap * c.ins + first + k, c.weightStride, narrowWeights),
                                              firstOut + out_, narrowWeights);
                        [[unroll]] for (uint j = 0; j < fours; ++j) weightTile[k * pitch + out_ + j] = values[j];
                    }
                } else {
                    const ivec2 source = sources[0] + offset;
                    const bool inside = isInside(source), hasOut = firstOut + me < c.outs;
                    const uint64_t x = rowAddress(pixels, inside ? uint(source.x) * c.width + uint(source.y) : 0, c.xStride, narrowX);
                    for (uint k = 0; k < features; ++k) {
                        const bool within = first + k < c.ins;
                        xTile[k * pitch + me] = asFactor(within && inside ? readNumber(x, first + k, narrowX) : 0.0);
                        const uint64_t weights = rowAddress(c.weights, tap * c.ins + first + k, c.weightStride, narrowWeights);
                        weightTile[k * pitch + me] = within && hasOut ? readNumber(weights, firstOut + me, narrowWeights) : 0.0;
                    }
                }
                barrier();
                if (multiplies) for (uint k = 0; k < features; ++k) {
                    if (fewOuts) {
                        const float weight = weightTile[k * pitch + myOut];
                        [[unroll]] for (uint i = 0; i < each; ++i)
                            sums[i * each] = fma(xTile[k * pitch + myPixel * each + i], weight, sums[i * each]);
                        continue;
                    }
                    // Outputs are two fours, so that invocations side by side read from other banks.
                    float a[each], b[each];
                    [[unroll]] for (uint i = 0; i < each; ++i) a[i] = xTile[k * pitch + myPixel * each + i];
                    [[unroll]] for (uint i = 0; i < each; ++i) b[i] = weightTile[k * pitch + i / 4 * 32 + myOut * 4 + i % 4];
                    [[unroll]] for (uint i = 0; i < each; ++i)
                        [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
                }
            }
        }
    }
    [[unroll]] for (uint i = 0; i < each; ++i) {
        const uint square = firstPixel + myPixel * each + i;
        const uvec2 pixel = outputOf(square);
        const bool exists = hasOutput(square, pixel);
        const uint64_t yRow = rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, narrowY);
        [[unroll]] for (uint j = 0; j < each; ++j) {
            const uint channel = firstOut + (fewOuts ? j * 8 + myOut : j / 4 * 32 + myOut * 4 + j % 4);
            if (exists && channel < c.outs) {
                float value = sums[i * each + j];
                if (c.bias != 0) value += readNumber(c.bias, channel, false);
                if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
                writeNumber(yRow, channel, narrowY, value);
            }
        }
    }
}
