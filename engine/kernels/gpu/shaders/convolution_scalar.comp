#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// One output frame of a convolution over channel-last frames as a matrix product that gathers its factors where they lie,
// without a matrix unit. A group computes 64 pixels by 64 outputs, an invocation 8 by 8 of them; features of a tap pass through
// shared memory 16 at a time. A sum is built in the order of its taps and features, whatever pixels are computed with it.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 64) in;
const uint tile = 64, features = 16, each = 8;

// Order and meaning as ConvolutionConstants in gpu_convolution.cpp.
layout(push_constant) uniform Constants {
    uint64_t frames[3];  // pixels of the kernel's frames; 0: a frame of zeros
    uint64_t weights;    // [taps * ins, outs]
    uint64_t bias, y;
    uint height, width, ins, xStride;
    uint outHeight, outWidth, outs, weightStride, yStride;
    uint kernel;      // frames, rows, columns and the stride over pixels, a byte each
    uint place;       // a byte each: row and column of the kernel's first source pixel, plus 128; of the output in its square
    uint upsample;    // output pixels along a side of a square: those of one source pixel
    uint firstPixel;  // of the squares
    uint flags;       // 1 x, 2 weights, 4 y are bf16; 8 x is rounded to bf16; 16 add to y
} c;

shared float xTile[features * tile];       // [feature][pixel]
shared float weightTile[features * tile];  // [feature][output]

uint byteOf(uint word, uint index) { return (word >> (8 * index)) & 0xffu; }

void main() {
    const uint firstOut = gl_WorkGroupID.x * tile, firstPixel = c.firstPixel + gl_WorkGroupID.y * tile;
    const uint me = gl_LocalInvocationIndex, myPixel = me / 8, myOut = me % 8;
    const bool narrowX = (c.flags & 1u) != 0, narrowWeights = (c.flags & 2u) != 0, narrowY = (c.flags & 4u) != 0;
    const bool rounded = (c.flags & 8u) != 0, hasOut = firstOut + me < c.outs;
    const uint rows = byteOf(c.kernel, 1), columns = byteOf(c.kernel, 2), stride = byteOf(c.kernel, 3);
    const uint squaresWide = (c.outWidth + c.upsample - 1) / c.upsample;
    const uint squares = squaresWide * ((c.outHeight + c.upsample - 1) / c.upsample);
    // Each invocation fetches the source pixels of one square.
    const uint square = firstPixel + me;
    const int firstRow = int(square / squaresWide * stride) + int(byteOf(c.place, 0)) - 128;
    const int firstColumn = int(square % squaresWide * stride) + int(byteOf(c.place, 1)) - 128;
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
            const int row = firstRow + int(step_ / columns), column = firstColumn + int(step_ % columns);
            const bool inside = square < squares && row >= 0 && row < int(c.height) && column >= 0 && column < int(c.width);
            const uint64_t x = rowAddress(pixels, inside ? uint(row) * c.width + uint(column) : 0, c.xStride, narrowX);
            for (uint first = 0; first < c.ins; first += features) {
                barrier();
                for (uint k = 0; k < features; ++k) {
                    const bool within = first + k < c.ins;
                    float value = within && inside ? readNumber(x, first + k, narrowX) : 0.0;
                    if (rounded) value = uintBitsToFloat(roundedToNarrow(value) << 16);
                    xTile[k * tile + me] = value;
                    const uint64_t weights = rowAddress(c.weights, tap * c.ins + first + k, c.weightStride, narrowWeights);
                    weightTile[k * tile + me] = within && hasOut ? readNumber(weights, firstOut + me, narrowWeights) : 0.0;
                }
                barrier();
                for (uint k = 0; k < features; ++k) {
                    if (c.outs <= 8) {  // pixels of a video
                        const float weight = weightTile[k * tile + myOut];
                        [[unroll]] for (uint i = 0; i < each; ++i)
                            sums[i * each] = fma(xTile[k * tile + myPixel * each + i], weight, sums[i * each]);
                        continue;
                    }
                    float a[each], b[each];
                    [[unroll]] for (uint i = 0; i < each; ++i) a[i] = xTile[k * tile + myPixel * each + i];
                    [[unroll]] for (uint i = 0; i < each; ++i) b[i] = weightTile[k * tile + i * 8 + myOut];
                    [[unroll]] for (uint i = 0; i < each; ++i)
                        [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] = fma(a[i], b[j], sums[i * each + j]);
                }
            }
        }
    }
    [[unroll]] for (uint i = 0; i < each; ++i) {
        const uint from = firstPixel + myPixel * each + i;
        const uint row = from / squaresWide * c.upsample + byteOf(c.place, 2);
        const uint column = from % squaresWide * c.upsample + byteOf(c.place, 3);
        const uint64_t yRow = rowAddress(c.y, row * c.outWidth + column, c.yStride, narrowY);
        [[unroll]] for (uint j = 0; j < each; ++j) {
            const uint channel = firstOut + j * 8 + myOut;
            if (from < squares && row < c.outHeight && column < c.outWidth && channel < c.outs) {
                float value = sums[i * each + j];
                if (c.bias != 0) value += readNumber(c.bias, channel, false);
                if ((c.flags & 16u) != 0) value += readNumber(yRow, channel, narrowY);
                writeNumber(yRow, channel, narrowY, value);
            }
        }
    }
}
