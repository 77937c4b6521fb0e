#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures read between their pixels (see `operation`), f32 [height * width, channels]: a row of groups for each line, an
// invocation for each number of it.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 128) in;

// Order and meaning as ResampleConstants in gpu_resample.cpp.
layout(push_constant) uniform Constants {
    uint64_t from, second, weight, into;
    uint fromHeight, fromWidth, fromStride;
    uint intoHeight, intoWidth, intoStride, channels;
    uint secondStride, weightStride;
    uint operation;  // 0 resize, 1 warp by `second`, 2 squares of the channels, 3 blend with `second` by `weight`
    uint firstLine;  // of this dispatch
    float factor;    // of what is resized; the side of squares
} c;

float at(uint line, uint column, uint channel) {
    return readNumber(rowAddress(c.from, line * c.fromWidth + column, c.fromStride, false), channel, false);
}

// The value at a place, which is not negative.
float between(float line, float column, uint channel) {
    const uint top = min(uint(line), c.fromHeight - 1), left = min(uint(column), c.fromWidth - 1);
    const uint bottom = min(top + 1, c.fromHeight - 1), right = min(left + 1, c.fromWidth - 1);
    const float down = line - float(top), along = column - float(left);
    const float upper = at(top, left, channel) * (1.0 - along) + at(top, right, channel) * along;
    const float lower = at(bottom, left, channel) * (1.0 - along) + at(bottom, right, channel) * along;
    return upper * (1.0 - down) + lower * down;
}

float resizedPlace(uint index, uint from, uint into) {
    return max((float(index) + 0.5) * (float(from) / float(into)) - 0.5, 0.0);
}

// NaN becomes 0.
float clampedPlace(float place, uint extent) {
    return place > 0.0 ? min(place, float(extent - 1)) : 0.0;
}

void main() {
    if (gl_GlobalInvocationID.x >= c.intoWidth * c.channels)
        return;
    const uint column = gl_GlobalInvocationID.x / c.channels, channel = gl_GlobalInvocationID.x % c.channels;
    const uint line = c.firstLine + gl_WorkGroupID.y;
    const uint pixel = line * c.intoWidth + column;
    float result;
    if (c.operation == 0) {
        result = c.factor * between(resizedPlace(line, c.fromHeight, c.intoHeight),
                                    resizedPlace(column, c.fromWidth, c.intoWidth), channel);
    } else if (c.operation == 1) {
        const uint64_t flow = rowAddress(c.second, pixel, c.secondStride, false);
        result = between(clampedPlace(float(line) + readNumber(flow, 1, false), c.fromHeight),
                         clampedPlace(float(column) + readNumber(flow, 0, false), c.fromWidth), channel);
    } else if (c.operation == 2) {
        const uint side = uint(c.factor);
        result = at(line / side, column / side, (channel * side + line % side) * side + column % side);
    } else {
        const float weight = readNumber(rowAddress(c.weight, pixel, c.weightStride, false), 0, false);
        const float part = 1.0 / (1.0 + exp(-weight));
        result = at(line, column, channel) * part +
                 readNumber(rowAddress(c.second, pixel, c.secondStride, false), channel, false) * (1.0 - part);
    }
    writeNumber(rowAddress(c.into, pixel, c.intoStride, false), channel, false, result);
}
