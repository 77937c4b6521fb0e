#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Features in [-1, 1], f32 [frames, height, width, colours * patch * patch], as bytes [frames, height * patch, width * patch,
// colours]: clip(v / 2 + 0.5, 0, 1) * 255, truncated. An invocation makes four bytes.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Words { uint at[]; };

// Order and meaning as BytesConstants in gpu_pixels.cpp.
layout(push_constant) uniform Constants {
    uint64_t features, bytes;
    uint height, width, colours, patch_;
    uint firstWord, words;  // of this dispatch
    uint count;             // of bytes in all
} c;

void main() {
    if (gl_GlobalInvocationID.x >= c.words)
        return;
    const uint word = c.firstWord + gl_GlobalInvocationID.x;
    uint packed = 0;
    for (uint i = 0; i < 4; ++i) {
        const uint place = word * 4 + i;
        if (place >= c.count) break;
        const uint colour = place % c.colours, pixel = place / c.colours;
        const uint column = pixel % (c.width * c.patch_), line = pixel / (c.width * c.patch_);  // over all frames
        const uint square = line / c.patch_ * c.width + column / c.patch_;
        const uint channel = (colour * c.patch_ + column % c.patch_) * c.patch_ + line % c.patch_;
        const float unit = readNumber(rowAddress(c.features, square, c.colours * c.patch_ * c.patch_, false), channel, false) * 0.5 + 0.5;
        packed |= uint(clamp(unit, 0.0, 1.0) * 255.0) << (8 * i);
    }
    Words(c.bytes).at[word] = packed;
}
