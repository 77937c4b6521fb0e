#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Adds 1 to a word: a link of a chain, to be ordered behind the link before it.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint at; };
layout(push_constant) uniform Constants { uint64_t word; } c;

void main() {
    Word(c.word).at += 1;
}
