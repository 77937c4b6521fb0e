// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/quantised_blocks.h"

namespace meshreel {
namespace {

constexpr int middleOf4Bits = 8;
constexpr int middleOf5Bits = 16;
constexpr int middleOf6Bits = 32;

/// Calls put(element, value of four bits).
template <typename Put>
void forEachNibble(const std::array<std::uint8_t, half32>& nibbles, const Put& put) {
    for (std::size_t i = 0; i < half32; ++i) {
        put(i, static_cast<int>(nibbles[i] & lowNibble));
        put(i + half32, static_cast<int>(nibbles[i] >> nibbleBits));
    }
}

int fifthBit(const std::array<std::uint8_t, 4>& highBits, std::size_t element) {
    return ((highBits[element / 8] >> (element % 8)) & 1) << nibbleBits;
}

struct ScaleAndMinimum {
    int scale = 0;
    int minimum = 0;
};

/// Groups 0…3 have their six bits in bytes 0…3 and 4…7; groups 4…7 have their low four bits in bytes 8…11
/// (scale low, minimum high) and their upper two bits in the top of the bytes of groups 0…3.
ScaleAndMinimum scaleOfGroup(const PackedScales& packed, std::size_t group) {
    constexpr unsigned sixBits = 0x3F;
    constexpr unsigned upperPairAt = 6;
    if (group < 4)
        return {static_cast<int>(packed[group] & sixBits), static_cast<int>(packed[group + 4] & sixBits)};
    const auto upper = [&](std::size_t at) { return (packed[at] >> upperPairAt) << nibbleBits; };
    return {static_cast<int>(packed[group + 4] & lowNibble) | upper(group - 4),
            (packed[group + 4] >> nibbleBits) | upper(group)};
}

/// Calls put(group, element in it, four bits, scale, minimum) of a Q4_K or Q5_K block.
template <typename Block, typename HighBit>
void unpackGroups(const Block& block, const HighBit& highBit, float* out) {
    const float scale = toFloat(block.scale);
    const float minimum = toFloat(block.minimum);
    for (std::size_t group = 0; group < groups; ++group) {
        const ScaleAndMinimum own = scaleOfGroup(block.scales, group);
        const float groupScale = scale * static_cast<float>(own.scale);
        const float groupMinimum = minimum * static_cast<float>(own.minimum);
        const std::uint8_t* bytes = block.nibbles.data() + group / 2 * groupElements;
        const unsigned shift = group % 2 == 0 ? 0 : nibbleBits;
        for (std::size_t i = 0; i < groupElements; ++i) {
            const int q = static_cast<int>((bytes[i] >> shift) & lowNibble) + highBit(group, i);
            out[group * groupElements + i] = groupScale * static_cast<float>(q) - groupMinimum;
        }
    }
}

}  // namespace

void unpackBlock(const BlockQ4_0& block, float* out) {
    const float scale = toFloat(block.scale);
    forEachNibble(block.nibbles,
                  [&](std::size_t i, int q) { out[i] = static_cast<float>(q - middleOf4Bits) * scale; });
}

void unpackBlock(const BlockQ4_1& block, float* out) {
    const float scale = toFloat(block.scale);
    const float minimum = toFloat(block.minimum);
    forEachNibble(block.nibbles,
                  [&](std::size_t i, int q) { out[i] = static_cast<float>(q) * scale + minimum; });
}

void unpackBlock(const BlockQ5_0& block, float* out) {
    const float scale = toFloat(block.scale);
    forEachNibble(block.nibbles, [&](std::size_t i, int q) {
        out[i] = static_cast<float>(q + fifthBit(block.highBits, i) - middleOf5Bits) * scale;
    });
}

void unpackBlock(const BlockQ5_1& block, float* out) {
    const float scale = toFloat(block.scale);
    const float minimum = toFloat(block.minimum);
    forEachNibble(block.nibbles, [&](std::size_t i, int q) {
        out[i] = static_cast<float>(q + fifthBit(block.highBits, i)) * scale + minimum;
    });
}

void unpackBlock(const BlockQ8_0& block, float* out) {
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < block.values.size(); ++i)
        out[i] = static_cast<float>(block.values[i]) * scale;
}

void unpackBlock(const BlockQ4_K& block, float* out) {
    unpackGroups(
        block, [](std::size_t /*group*/, std::size_t /*i*/) { return 0; }, out);
}

void unpackBlock(const BlockQ5_K& block, float* out) {
    unpackGroups(
        block,
        [&](std::size_t group, std::size_t i) { return ((block.highBits[i] >> group) & 1) << nibbleBits; },
        out);
}

void unpackBlock(const BlockQ6_K& block, float* out) {
    constexpr std::size_t halfElements = 128;
    constexpr std::size_t quarterElements = 32;  // of a half: with one shift of nibbles and pairs
    constexpr std::size_t scaleElements = 16;
    constexpr unsigned pairMask = 3;
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < BlockQ6_K::elements; ++i) {
        const std::size_t half = i / halfElements;
        const std::size_t quarter = i % halfElements / quarterElements;
        const std::size_t lane = i % quarterElements;
        const unsigned nibbles = block.nibbles[half * 64 + quarter % 2 * quarterElements + lane];
        const unsigned low = quarter < 2 ? nibbles & lowNibble : nibbles >> nibbleBits;
        const unsigned high = (block.highPairs[half * quarterElements + lane] >> (2 * quarter)) & pairMask;
        const int q = static_cast<int>(low | high << nibbleBits) - middleOf6Bits;
        out[i] = scale * static_cast<float>(block.scales[i / scaleElements]) * static_cast<float>(q);
    }
}

}  // namespace meshreel
