#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Multiply-adds of int32, which any GPU makes of int8 factors.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

int multiplied(int value, int factor) {
    return value * factor;
}

#include "int8_peak.glsl"
