#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// A linear layer of int8 factors on any GPU.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "linear_epilogue.glsl"

const uint parts = 4;  // a byte each

int partOf(uint word, uint part) {
    return bitfieldExtract(int(word), int(8 * part), 8);
}

int productOf(int a, int b) {
    return a * b;
}

#include "linear_int8.glsl"
