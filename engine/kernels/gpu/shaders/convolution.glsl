// SPDX-License-Identifier: GPL-3.0-or-later
// What the convolutions are given. An output frame consists of squares of upsample × upsample pixels; one dispatch computes the
// pixel at the same place of each. Behind numbers.glsl.

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
    uint flags;       // 1 x, 2 weights, 4 y are bf16; 8 x is rounded to bf16; 16 add to y; 32 x and weights, 64 y lie in fours
} c;

uint byteOf(uint word, uint index) { return (word >> (8 * index)) & 0xffu; }

uint squaresWide() { return (c.outWidth + c.upsample - 1) / c.upsample; }
uint squareCount() { return squaresWide() * ((c.outHeight + c.upsample - 1) / c.upsample); }

// Row and column of the source pixel at which the kernel begins; a square behind the last one has none.
ivec2 firstSource(uint square) {
    if (square >= squareCount()) return ivec2(-0x10000);
    const uint stride = byteOf(c.kernel, 3);
    return ivec2(square / squaresWide() * stride, square % squaresWide() * stride) +
           ivec2(byteOf(c.place, 0), byteOf(c.place, 1)) - 128;
}

bool isInside(ivec2 source) {
    return source.x >= 0 && source.x < int(c.height) && source.y >= 0 && source.y < int(c.width);
}

// The output pixel of a square.
uvec2 outputOf(uint square) {
    return uvec2(square / squaresWide(), square % squaresWide()) * c.upsample + uvec2(byteOf(c.place, 2), byteOf(c.place, 3));
}

bool hasOutput(uint square, uvec2 pixel) {
    return square < squareCount() && pixel.x < c.outHeight && pixel.y < c.outWidth;
}
