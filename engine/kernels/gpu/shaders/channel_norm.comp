#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = x / max(|x|, 1e-12) * sqrt(channels) * gamma of each pixel, then SiLU where it is asked for: 16 invocations a pixel.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

const uint lanes = 16, pixelsOfGroup = 8;
layout(local_size_x = lanes * pixelsOfGroup) in;

// Order and meaning as ChannelNormConstants in gpu_pixels.cpp.
layout(push_constant) uniform Constants {
    uint64_t x, gamma, y;
    uint pixels, channels, xStride, yStride;
    uint flags;  // 1 x, 2 y are bf16; 4 SiLU behind it
} c;

shared float parts[lanes * pixelsOfGroup];

void main() {
    const uint me = gl_LocalInvocationIndex, lane = me % lanes, pixel = gl_WorkGroupID.x * pixelsOfGroup + me / lanes;
    const bool narrowX = (c.flags & 1u) != 0, narrowY = (c.flags & 2u) != 0, within = pixel < c.pixels;
    const uint64_t x = rowAddress(c.x, pixel, c.xStride, narrowX), y = rowAddress(c.y, pixel, c.yStride, narrowY);
    float part = 0.0;
    for (uint i = lane; within && i < c.channels; i += lanes) {
        const float value = readNumber(x, i, narrowX);
        part += value * value;
    }
    parts[me] = part;
    barrier();
    for (uint half_ = lanes / 2; half_ > 0; half_ /= 2) {
        if (lane < half_) parts[me] += parts[me + half_];
        barrier();
    }
    const float factor = sqrt(float(c.channels)) / max(sqrt(parts[me - lane]), 1e-12);
    for (uint i = lane; within && i < c.channels; i += lanes) {
        float value = readNumber(x, i, narrowX) * factor * readNumber(c.gamma, i, false);
        if ((c.flags & 4u) != 0) value = value / (1.0 + exp(-value));
        writeNumber(y, i, narrowY, value);
    }
}
