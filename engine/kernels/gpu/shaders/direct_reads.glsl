// SPDX-License-Identifier: GPL-3.0-or-later
// Reads of shaders for drivers that compute on the host's processors: they carry out a read as a loop over the invocations, and
// both branches of an `if`. So a number of either width is one read of the bits it lies in, and two are one read where they lie in
// pairs. Behind numbers.glsl.
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Word { uint bits; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer TwoWords { uint64_t bits; };

uint bytesOf(uint numbers, bool isNarrow) {
    return numbers << (isNarrow ? 1 : 2);
}

// What readNumber() returns. Memory consists of words: there is one around the last number too.
float readDirectly(uint64_t row, uint column, bool isNarrow) {
    const uint64_t address = row + bytesOf(column, isNarrow);
    const uint bits = Word(address & ~uint64_t(3)).bits;
    const uint narrow = (uint(address) & 2u) != 0 ? bits & 0xffff0000u : bits << 16;
    return uintBitsToFloat(isNarrow ? narrow : bits);
}

// Whether readPair() reads these rows.
bool liesInPairs(uint64_t start, uint stride, bool isNarrow) {
    return ((uint(start) | bytesOf(stride, isNarrow)) & 7u) == 0;
}

// The numbers in an even column and behind it. Narrow ones lie in an aligned four, all of which are the row's: its stride is a
// multiple.
vec2 readPair(uint64_t row, uint column, bool isNarrow) {
    const uint64_t bits = TwoWords(row + (bytesOf(column, isNarrow) & ~7u)).bits;
    const uint narrow = uint(bits >> ((column & 2u) * 16u));
    const uint first = isNarrow ? narrow << 16 : uint(bits), second = isNarrow ? narrow & 0xffff0000u : uint(bits >> 32);
    return vec2(uintBitsToFloat(first), uintBitsToFloat(second));
}
