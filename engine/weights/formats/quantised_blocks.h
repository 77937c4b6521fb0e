// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/base/number_types.h"

namespace meshreel {

// Blocks of GGUF's quantised types, as stored in the file. Names and layouts are those of ggml; the formula
// of an element follows each.

/// 32 elements: (q - 8) · scale; the low halves of the bytes are the first 16.
struct BlockQ4_0 {
    static constexpr std::size_t elements = 32;
    Half scale;
    std::array<std::uint8_t, 16> nibbles;
};

/// 32 elements: q · scale + minimum.
struct BlockQ4_1 {
    static constexpr std::size_t elements = 32;
    Half scale, minimum;
    std::array<std::uint8_t, 16> nibbles;
};

/// 32 elements: (q - 16) · scale; bit i of `highBits` is the fifth bit of element i.
struct BlockQ5_0 {
    static constexpr std::size_t elements = 32;
    Half scale;
    std::array<std::uint8_t, 4> highBits;
    std::array<std::uint8_t, 16> nibbles;
};

/// 32 elements: q · scale + minimum.
struct BlockQ5_1 {
    static constexpr std::size_t elements = 32;
    Half scale, minimum;
    std::array<std::uint8_t, 4> highBits;
    std::array<std::uint8_t, 16> nibbles;
};

/// 32 elements: q · scale.
struct BlockQ8_0 {
    static constexpr std::size_t elements = 32;
    Half scale;
    std::array<std::int8_t, 32> values;
};

/// Eight pairs of a 6-bit scale and a 6-bit minimum in twelve bytes.
using PackedScales = std::array<std::uint8_t, 12>;

/// 256 elements in eight groups of 32: q · scale · scales[group] - minimum · minimums[group]. 32 bytes hold
/// two groups, the first in their low halves.
struct BlockQ4_K {
    static constexpr std::size_t elements = 256;
    Half scale, minimum;
    PackedScales scales;
    std::array<std::uint8_t, 128> nibbles;
};

/// As Q4_K, but bit `group` of highBits[i] is the fifth bit of element i of that group.
struct BlockQ5_K {
    static constexpr std::size_t elements = 256;
    Half scale, minimum;
    PackedScales scales;
    std::array<std::uint8_t, 32> highBits;
    std::array<std::uint8_t, 128> nibbles;
};

/// 256 elements in sixteen groups of 16: (q - 32) · scale · scales[group].
struct BlockQ6_K {
    static constexpr std::size_t elements = 256;
    std::array<std::uint8_t, 128> nibbles;
    std::array<std::uint8_t, 64> highPairs;
    std::array<std::int8_t, 16> scales;
    Half scale;
};

/// 256 elements in sixteen groups of 16: q · scale · low half of scales[group] - minimum · its high half. A
/// byte of `pairs` has the two bits of four elements that are 32 apart.
struct BlockQ2_K {
    static constexpr std::size_t elements = 256;
    std::array<std::uint8_t, 16> scales;
    std::array<std::uint8_t, 64> pairs;
    Half scale, minimum;
};

/// 256 elements in sixteen groups of 16: (q - 4) · scale · (scales[group] - 32). The two low bits are as in
/// Q2_K; bit `i / 32` of thirdBits[i % 32] is the third. Sixteen scales of six bits: four in the halves of
/// the first eight bytes, two in the last four.
struct BlockQ3_K {
    static constexpr std::size_t elements = 256;
    std::array<std::uint8_t, 32> thirdBits;
    std::array<std::uint8_t, 64> pairs;
    PackedScales scales;
    Half scale;
};

/// 32 elements: curve[q] · scale, by the sixteen uneven steps of ggml's kvalues_iq4nl.
struct BlockIQ4_NL {
    static constexpr std::size_t elements = 32;
    Half scale;
    std::array<std::uint8_t, 16> nibbles;
};

/// 256 elements in eight groups of 32: curve[q] · scale · (scales[group] - 32); each group's nibbles are as
/// in IQ4_NL. The scales' four low bits are halves of lowScales, their upper two are in highScales.
struct BlockIQ4_XS {
    static constexpr std::size_t elements = 256;
    Half scale;
    std::uint16_t highScales;
    std::array<std::uint8_t, 4> lowScales;
    std::array<std::uint8_t, 128> nibbles;
};

static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockIQ4_NL) == 18 &&
              sizeof(BlockIQ4_XS) == 136);
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 &&
              sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4_K) == 144 &&
              sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

/// Unpacks the elements of one block, in order; `out` has room for them.
void unpackBlock(const BlockQ4_0& block, float* out);
void unpackBlock(const BlockQ4_1& block, float* out);
void unpackBlock(const BlockQ5_0& block, float* out);
void unpackBlock(const BlockQ5_1& block, float* out);
void unpackBlock(const BlockQ8_0& block, float* out);
void unpackBlock(const BlockQ4_K& block, float* out);
void unpackBlock(const BlockQ5_K& block, float* out);
void unpackBlock(const BlockQ6_K& block, float* out);
void unpackBlock(const BlockQ2_K& block, float* out);
void unpackBlock(const BlockQ3_K& block, float* out);
void unpackBlock(const BlockIQ4_NL& block, float* out);
void unpackBlock(const BlockIQ4_XS& block, float* out);

/// Unpacks blocks (not necessarily aligned) into out[blocks · Block::elements].
template <typename Block>
void unpackBlocks(std::span<const std::byte> bytes, std::span<float> out) {
    Block block;
    float* next = out.data();
    for (std::size_t offset = 0; offset + sizeof(Block) <= bytes.size(); offset += sizeof(Block)) {
        std::memcpy(&block, bytes.data() + offset, sizeof(Block));
        unpackBlock(block, next);
        next += Block::elements;
    }
}

// The inverse of unpackBlock(): each block's scales from its own smallest and largest element, every element
// rounded to the nearest step. `values` has Block::elements finite numbers.
void packBlock(const float* values, BlockQ4_0& block);
void packBlock(const float* values, BlockQ4_1& block);
void packBlock(const float* values, BlockQ5_0& block);
void packBlock(const float* values, BlockQ5_1& block);
void packBlock(const float* values, BlockQ8_0& block);
void packBlock(const float* values, BlockQ4_K& block);
void packBlock(const float* values, BlockQ5_K& block);
void packBlock(const float* values, BlockQ6_K& block);
void packBlock(const float* values, BlockQ2_K& block);
void packBlock(const float* values, BlockQ3_K& block);
void packBlock(const float* values, BlockIQ4_NL& block);
void packBlock(const float* values, BlockIQ4_XS& block);

}  // namespace meshreel
