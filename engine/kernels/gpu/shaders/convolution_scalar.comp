#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// One output frame of a convolution over channel-last frames as a matrix product that gathers its factors where they lie,
// without a matrix unit. A group computes 64 pixels by 64 outputs, an invocation 8 by 8 of them. The features of a frame's taps, those
// of one tap behind the other, pass through shared memory 16 at a time. A sum is built in the order of its taps and features, whatever
// pixels are computed with it.
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

const uint weightTile = features * pitch;
shared float tiles[2 * features * pitch];  // [feature][pixel], then at weightTile [feature][output]

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
    const bool inFours = (c.flags & 32u) != 0, fewOuts = c.outs <= 8,  // such as the pixels of a video
               halfOuts = !fewOuts && c.outs - firstOut <= tile / 2;
    // All pixels of an invocation may lie behind the last one: it fetches for the others and multiplies nothing.
    const bool multiplies = firstPixel + myPixel * each < squareCount();
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2);
    // An invocation fetches all features of one pixel, or in fours some of four pixels.
    ivec2 sources[fours];
    [[unroll]] for (uint i = 0; i < fours; ++i) sources[i] = firstSource(firstPixel + (inFours ? i * perFetch + me / fours : me));
    float sums[each * each];
    for (uint i = 0; i < each * each; ++i) sums[i] = 0.0;
    // Taps of a frame and their features are one row, so that few features share a step.
    const uint depth = rows * columns * c.ins;
    for (uint frame = 0; frame < byteOf(c.kernel, 0); ++frame) {
        const uint64_t pixels = c.frames[frame];
        if (pixels == 0) continue;
        for (uint first = 0; first < depth; first += features) {
            barrier();
            if (inFours) {
                const uint feature = me % fours * fours, place = first + feature, step_ = place / c.ins;
                const ivec2 offset = ivec2(step_ / columns, step_ % columns);
                [[unroll]] for (uint i = 0; i < fours; ++i) {
                    const ivec2 source = sources[i] + offset;
                    vec4 values = vec4(0.0);
                    if (isInside(source) && place < depth)
                        values = readFour(rowAddress(pixels, uint(source.x) * c.width + uint(source.y), c.xStride, narrowX),
                                          place - step_ * c.ins, narrowX);
                    [[unroll]] for (uint j = 0; j < fours; ++j)
                        tiles[(feature + j) * pitch + i * perFetch + me / fours] = asFactor(values[j]);
                }
                [[unroll]] for (uint i = 0; i < fours; ++i) {
                    const uint k = i * fours + me / 16, out_ = me % 16 * fours;
                    vec4 values = vec4(0.0);
                    if (first + k < depth && firstOut + out_ < c.outs)
                        values = readFour(rowAddress(c.weights, frame * depth + first + k, c.weightStride, narrowWeights),
                                          firstOut + out_, narrowWeights);
                    [[unroll]] for (uint j = 0; j < fours; ++j) tiles[weightTile + k * pitch + out_ + j] = values[j];
                }
            } else {
                const bool hasOut = firstOut + me < c.outs;
                uint step_ = first / c.ins, feature = first - step_ * c.ins;
                for (uint k = 0; k < features; ++k) {
                    const ivec2 source = sources[0] + ivec2(step_ / columns, step_ % columns);
                    const bool within = first + k < depth, inside = isInside(source);
                    const uint64_t x = rowAddress(pixels, inside ? uint(source.x) * c.width + uint(source.y) : 0, c.xStride, narrowX);
                    tiles[k * pitch + me] = asFactor(within && inside ? readNumber(x, feature, narrowX) : 0.0);
                    const uint64_t weights = rowAddress(c.weights, frame * depth + first + k, c.weightStride, narrowWeights);
                    tiles[weightTile + k * pitch + me] = within && hasOut ? readNumber(weights, firstOut + me, narrowWeights) : 0.0;
                    if (++feature == c.ins) {
                        feature = 0;
                        ++step_;
                    }
                }
            }
            barrier();
            // A loop of each width: a branch within one would be taken for every feature.
            float a[each], b[each];
            if (multiplies && fewOuts) for (uint k = 0; k < features; ++k) {
                const float weight = tiles[weightTile + k * pitch + myOut];
                [[unroll]] for (uint i = 0; i < each; ++i)
                    sums[i * each] = fma(tiles[k * pitch + myPixel * each + i], weight, sums[i * each]);
            }
            if (multiplies && halfOuts) for (uint k = 0; k < features; ++k) {
                [[unroll]] for (uint i = 0; i < each; ++i) a[i] = tiles[k * pitch + myPixel * each + i];
                [[unroll]] for (uint j = 0; j < fours; ++j) b[j] = tiles[weightTile + k * pitch + myOut * 4 + j];
                [[unroll]] for (uint i = 0; i < each; ++i)
                    [[unroll]] for (uint j = 0; j < fours; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
            }
            // Outputs are two fours, so that invocations side by side read from other banks.
            if (multiplies && !fewOuts && !halfOuts) for (uint k = 0; k < features; ++k) {
                [[unroll]] for (uint i = 0; i < each; ++i) a[i] = tiles[k * pitch + myPixel * each + i];
                [[unroll]] for (uint j = 0; j < each; ++j) b[j] = tiles[weightTile + k * pitch + j / 4 * 32 + myOut * 4 + j % 4];
                [[unroll]] for (uint i = 0; i < each; ++i)
                    [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
            }
        }
    }
    // Sums pass through shared memory, each invocation's own and half of them at a time, so that a loop finishes them: drivers would
    // compile 64 copies.
    const uint half_ = each / 2;
    barrier();
    [[unroll]] for (uint part = 0; part < 2; ++part) {
        [[unroll]] for (uint n = 0; n < half_ * each; ++n) tiles[n * tile + me] = sums[part * half_ * each + n];
        for (uint i = 0; i < half_; ++i) {
            const uint square = firstPixel + myPixel * each + part * half_ + i;
            const uvec2 pixel = outputOf(square);
            const bool exists = hasOutput(square, pixel);
            const uint64_t yRow = rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, narrowY);
            for (uint j = 0; j < each; ++j) {
                const uint channel = firstOut + (fewOuts ? j * 8 + myOut : j / 4 * 32 + myOut * 4 + j % 4);
                if (exists && channel < c.outs) {
                    float value = tiles[(i * each + j) * tile + me];
                    if (c.bias != 0) value += readNumber(c.bias, channel, false);
                    if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
                    writeNumber(yRow, channel, narrowY, value);
                }
            }
        }
    }
}
