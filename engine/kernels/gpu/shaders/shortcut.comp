#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Adds a shortcut of the Wan 2.2 VAE to features [frames, height, width, outs], a number an invocation: the mean of some
// channels and pixels of the source where the features are smaller than it, a repeated channel where they are larger.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;

// Order and meaning as ShortcutConstants in gpu_pixels.cpp.
layout(push_constant) uniform Constants {
    uint64_t source, sum;
    uint height, width, outs, ins;
    uint time, space;  // pixels that become one, or that one becomes, along each axis
    uint shift;        // averaging: frames missing before the source's first; repeating: frames left out
    uint group;        // averaging: numbers of a mean; repeating: how often a channel is repeated
    uint firstRow;     // of frames * height
    uint flags;        // 1 source, 2 sum are bf16; 4 repeating
} c;

void main() {
    const uint place = gl_GlobalInvocationID.x, line = c.firstRow + gl_WorkGroupID.y;
    if (place >= c.width * c.outs)
        return;
    const bool narrowSource = (c.flags & 1u) != 0, narrowSum = (c.flags & 2u) != 0;
    const uint column = place / c.outs, channel = place % c.outs, frame = line / c.height, row = line % c.height;
    const uint pixels = c.time * c.space * c.space;
    float value = 0.0;
    if ((c.flags & 4u) != 0) {
        const uint whole = frame + c.shift;
        const uint part = (whole % c.time * c.space + row % c.space) * c.space + column % c.space;
        const uint from = (whole / c.time * (c.height / c.space) + row / c.space) * (c.width / c.space) + column / c.space;
        value = readNumber(rowAddress(c.source, from, c.ins, narrowSource), (channel * pixels + part) / c.group, narrowSource);
    } else {
        for (uint i = 0; i < c.group; ++i) {
            const uint member = channel * c.group + i, part = member % pixels;
            const int whole = int(frame * c.time + part / (c.space * c.space)) - int(c.shift);
            if (whole < 0) continue;
            const uint from = (uint(whole) * c.height * c.space + row * c.space + part / c.space % c.space) * c.width * c.space +
                              column * c.space + part % c.space;
            value += readNumber(rowAddress(c.source, from, c.ins, narrowSource), member / pixels, narrowSource);
        }
        value /= float(c.group);
    }
    const uint64_t sum = rowAddress(c.sum, line * c.width + column, c.outs, narrowSum);
    writeNumber(sum, channel, narrowSum, readNumber(sum, channel, narrowSum) + value);
}
