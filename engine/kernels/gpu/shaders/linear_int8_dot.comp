#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// A linear layer of int8 factors, four products at once (VK_KHR_shader_integer_dot_product).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#include "numbers.glsl"
#include "linear_epilogue.glsl"

#include "packed_dot.glsl"

const uint parts = 1;

int partOf(uint word, uint part) {
    return int(word);
}

int productOf(int a, int b) {
    return packedDot(a, b, 0u);  // PackedVectorFormat4x8BitKHR
}

#include "linear_int8.glsl"
