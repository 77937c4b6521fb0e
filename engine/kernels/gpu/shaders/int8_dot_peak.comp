#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Products of four int8 factors at once (VK_KHR_shader_integer_dot_product).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#include "numbers.glsl"
#include "packed_dot.glsl"

int multiplied(int value, int factor) {
    return packedDot(value, factor, 0u);  // PackedVectorFormat4x8BitKHR
}

#include "int8_peak.glsl"
