#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// A linear layer of int8 factors, four products at once (VK_KHR_shader_integer_dot_product).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#include "numbers.glsl"
#include "linear_epilogue.glsl"

// OpSDotKHR with its capabilities, DotProductKHR and DotProductInput4x8BitPackedKHR: glslang of Debian 12 knows no function for it.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int packedDot(int a, int b, spirv_literal uint format);

const uint parts = 1;

int partOf(uint word, uint part) {
    return int(word);
}

int productOf(int a, int b) {
    return packedDot(a, b, 0u);  // PackedVectorFormat4x8BitKHR
}

#include "linear_int8.glsl"
