// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/quantised_blocks.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace meshreel {
namespace {

constexpr unsigned nibbleBits = 4;
constexpr unsigned lowNibble = 0xF;
constexpr std::size_t half32 = 16;  // elements in the low halves of a block of 32

// Blocks of 256: Q4_K and Q5_K.
constexpr std::size_t groups = 8;  // with a scale each
constexpr std::size_t groupElements = 32;
constexpr unsigned upperPairAt = 6;  // see scaleOfGroup()

// Blocks of 256: Q6_K.
constexpr std::size_t halfElements = 128;
constexpr std::size_t halfNibbleBytes = 64;
constexpr std::size_t quarterElements = 32;  // in a half: with one shift of nibbles and pairs
constexpr std::size_t scaleElements = 16;

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
    if (group < 4)
        return {static_cast<int>(packed[group] & sixBits), static_cast<int>(packed[group + 4] & sixBits)};
    const auto upper = [&](std::size_t at) { return (packed[at] >> upperPairAt) << nibbleBits; };
    return {static_cast<int>(packed[group + 4] & lowNibble) | upper(group - 4),
            (packed[group + 4] >> nibbleBits) | upper(group)};
}

/// Unpacks a Q4_K or Q5_K block; highBit(group, element in it) is what stands above the four bits.
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
    constexpr unsigned pairMask = 3;
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < BlockQ6_K::elements; ++i) {
        const std::size_t half = i / halfElements;
        const std::size_t quarter = i % halfElements / quarterElements;
        const std::size_t lane = i % quarterElements;
        const unsigned nibbles = block.nibbles[half * halfNibbleBytes + quarter % 2 * quarterElements + lane];
        const unsigned low = quarter < 2 ? nibbles & lowNibble : nibbles >> nibbleBits;
        const unsigned high = (block.highPairs[half * quarterElements + lane] >> (2 * quarter)) & pairMask;
        const int q = static_cast<int>(low | high << nibbleBits) - middleOf6Bits;
        out[i] = scale * static_cast<float>(block.scales[i / scaleElements]) * static_cast<float>(q);
    }
}

namespace {

// Blocks of 256 with bits in pairs: Q2_K and Q3_K.
constexpr unsigned pairBits = 3;
constexpr int middleOf3Bits = 4;
constexpr int middleOfScales = 32;  // of scales with a sign, in six bits

/// The two bits of an element; pairs of elements that lie 32 apart share a byte.
struct PairPlace {
    std::size_t byte;
    unsigned shift;

    explicit PairPlace(std::size_t element)
        : byte(element / halfElements * quarterElements + element % quarterElements),
          shift(static_cast<unsigned>(2 * (element % halfElements / quarterElements))) {}
};

/// One of the sixteen scales of a Q3_K block.
int scaleOfQ3(const PackedScales& packed, std::size_t group) {
    constexpr std::size_t halves = 8;
    const unsigned low = packed[group % halves] >> (group < halves ? 0U : nibbleBits);
    const unsigned high = packed[halves + group % 4] >> (2 * (group / 4));
    return static_cast<int>((low & lowNibble) | (high & pairBits) << nibbleBits) - middleOfScales;
}

/// ggml's kvalues_iq4nl.
constexpr std::array<float, 16> curve = {-127, -104, -83, -65, -49, -35, -22, -10,
                                         1,    13,   25,  38,  53,  69,  89,  113};

int scaleOfIq4(const BlockIQ4_XS& block, std::size_t group) {
    const unsigned low = block.lowScales[group / 2] >> (group % 2 == 0 ? 0U : nibbleBits);
    const unsigned high = static_cast<unsigned>(block.highScales) >> (2 * group);
    return static_cast<int>((low & lowNibble) | (high & pairBits) << nibbleBits) - middleOfScales;
}

/// Element of a group of 32 whose low halves are the first 16.
unsigned halfByte(const std::uint8_t* bytes, std::size_t i) {
    return bytes[i % half32] >> (i < half32 ? 0U : nibbleBits) & lowNibble;
}

}  // namespace

void unpackBlock(const BlockQ2_K& block, float* out) {
    const float scale = toFloat(block.scale);
    const float minimum = toFloat(block.minimum);
    for (std::size_t i = 0; i < BlockQ2_K::elements; ++i) {
        const unsigned group = block.scales[i / scaleElements];
        const PairPlace place(i);
        const unsigned q = block.pairs[place.byte] >> place.shift & pairBits;
        out[i] = scale * static_cast<float>(group & lowNibble) * static_cast<float>(q) -
                 minimum * static_cast<float>(group >> nibbleBits);
    }
}

void unpackBlock(const BlockQ3_K& block, float* out) {
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < BlockQ3_K::elements; ++i) {
        const PairPlace place(i);
        const unsigned low = block.pairs[place.byte] >> place.shift & pairBits;
        const unsigned third = block.thirdBits[i % quarterElements] >> (i / quarterElements) & 1U;
        const int q = static_cast<int>(low | third << 2U) - middleOf3Bits;
        out[i] =
            scale * static_cast<float>(scaleOfQ3(block.scales, i / scaleElements)) * static_cast<float>(q);
    }
}

void unpackBlock(const BlockIQ4_NL& block, float* out) {
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < BlockIQ4_NL::elements; ++i)
        out[i] = scale * curve[halfByte(block.nibbles.data(), i)];
}

void unpackBlock(const BlockIQ4_XS& block, float* out) {
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < BlockIQ4_XS::elements; ++i) {
        const std::size_t group = i / groupElements;
        out[i] = scale * static_cast<float>(scaleOfIq4(block, group)) *
                 curve[halfByte(block.nibbles.data() + group * half32, i % groupElements)];
    }
}

namespace {

constexpr int mostGroupScale = 63;

/// The element of the largest magnitude, with its sign.
float extreme(std::span<const float> values) {
    float found = 0;
    for (const float value : values)
        if (std::abs(value) > std::abs(found))
            found = value;
    return found;
}

/// value / scale, rounded to even within the range.
int step(float value, float scale, int least, int most) {
    constexpr float wholeNumbersOnly = 12582912.0F;  // 1.5 · 2^23: the sum has no room for a fraction
    if (scale == 0)
        return std::clamp(0, least, most);
    const float within = std::clamp(value / scale, static_cast<float>(least), static_cast<float>(most));
    return static_cast<int>((within + wholeNumbersOnly) - wholeNumbersOnly);
}

/// Two elements share a byte: the first half of them has the low halves.
void putNibbles(std::array<std::uint8_t, half32>& nibbles, std::size_t element, int q) {
    const unsigned shift = element < half32 ? 0 : nibbleBits;
    nibbles[element % half32] |= static_cast<std::uint8_t>((static_cast<unsigned>(q) & lowNibble) << shift);
}

void putFifthBit(std::array<std::uint8_t, 4>& bits, std::size_t element, int q) {
    bits[element / 8] |=
        static_cast<std::uint8_t>(((static_cast<unsigned>(q) >> nibbleBits) & 1) << (element % 8));
}

/// q in [0, 2·middle) around the middle. The extreme element is at the end of the range that has one step
/// more.
template <typename Block>
void packAroundMiddle(const float* values, Block& block, int middle, const auto& put) {
    block = {};
    block.scale = toHalf(extreme({values, Block::elements}) / static_cast<float>(-middle));
    const float scale = toFloat(block.scale);
    for (std::size_t i = 0; i < Block::elements; ++i)
        put(i, step(values[i], scale, -middle, middle - 1) + middle);
}

/// q in [0, most] from the smallest element up.
template <typename Block>
void packAboveMinimum(const float* values, Block& block, int most, const auto& put) {
    block = {};
    const auto [least, largest] = std::minmax_element(values, values + Block::elements);
    block.minimum = toHalf(*least);
    const float minimum = toFloat(block.minimum);
    block.scale = toHalf((*largest - minimum) / static_cast<float>(most));
    for (std::size_t i = 0; i < Block::elements; ++i)
        put(i, step(values[i] - minimum, toFloat(block.scale), 0, most));
}

/// The inverse of scaleOfGroup().
void putGroupScale(PackedScales& packed, std::size_t group, int scale, int minimum) {
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    if (group < 4) {
        packed[group] |= byte(scale);
        packed[group + 4] |= byte(minimum);
        return;
    }
    const auto upper = [](int value) {
        return static_cast<std::uint8_t>((static_cast<unsigned>(value) >> nibbleBits) << upperPairAt);
    };
    packed[group + 4] = static_cast<std::uint8_t>((static_cast<unsigned>(scale) & lowNibble) |
                                                  (static_cast<unsigned>(minimum) & lowNibble) << nibbleBits);
    packed[group - 4] |= upper(scale);
    packed[group] |= upper(minimum);
}

/// Packs a Q4_K or Q5_K block with q in [0, most]; calls put(group, element in it, q).
template <typename Block>
void packGroups(const float* values, Block& block, int most, const auto& put) {
    block = {};
    std::array<float, groups> scales{};
    std::array<float, groups> minimums{};
    for (std::size_t group = 0; group < groups; ++group) {
        const float* own = values + group * groupElements;
        const auto [least, largest] = std::minmax_element(own, own + groupElements);
        minimums[group] = -std::min(0.0F, *least);
        scales[group] = (std::max(0.0F, *largest) + minimums[group]) / static_cast<float>(most);
    }
    block.scale = toHalf(*std::ranges::max_element(scales) / mostGroupScale);
    block.minimum = toHalf(*std::ranges::max_element(minimums) / mostGroupScale);
    for (std::size_t group = 0; group < groups; ++group) {
        const int scaleSteps = step(scales[group], toFloat(block.scale), 0, mostGroupScale);
        const int minimumSteps = step(minimums[group], toFloat(block.minimum), 0, mostGroupScale);
        putGroupScale(block.scales, group, scaleSteps, minimumSteps);
        const float scale = toFloat(block.scale) * static_cast<float>(scaleSteps);
        const float minimum = toFloat(block.minimum) * static_cast<float>(minimumSteps);
        for (std::size_t i = 0; i < groupElements; ++i)
            put(group, i, step(values[group * groupElements + i] + minimum, scale, 0, most));
    }
}

template <typename Block>
void putGroupNibble(Block& block, std::size_t group, std::size_t i, int q) {
    const unsigned shift = group % 2 == 0 ? 0 : nibbleBits;
    block.nibbles[group / 2 * groupElements + i] |=
        static_cast<std::uint8_t>((static_cast<unsigned>(q) & lowNibble) << shift);
}

}  // namespace

void packBlock(const float* values, BlockQ4_0& block) {
    packAroundMiddle(values, block, middleOf4Bits,
                     [&](std::size_t i, int q) { putNibbles(block.nibbles, i, q); });
}

void packBlock(const float* values, BlockQ4_1& block) {
    packAboveMinimum(values, block, 15, [&](std::size_t i, int q) { putNibbles(block.nibbles, i, q); });
}

void packBlock(const float* values, BlockQ5_0& block) {
    packAroundMiddle(values, block, middleOf5Bits, [&](std::size_t i, int q) {
        putNibbles(block.nibbles, i, q);
        putFifthBit(block.highBits, i, q);
    });
}

void packBlock(const float* values, BlockQ5_1& block) {
    packAboveMinimum(values, block, 31, [&](std::size_t i, int q) {
        putNibbles(block.nibbles, i, q);
        putFifthBit(block.highBits, i, q);
    });
}

void packBlock(const float* values, BlockQ8_0& block) {
    constexpr int most = 127;
    block = {};
    block.scale = toHalf(std::abs(extreme({values, BlockQ8_0::elements})) / most);
    for (std::size_t i = 0; i < BlockQ8_0::elements; ++i)
        block.values[i] = static_cast<std::int8_t>(step(values[i], toFloat(block.scale), -most, most));
}

void packBlock(const float* values, BlockQ4_K& block) {
    packGroups(values, block, 15,
               [&](std::size_t group, std::size_t i, int q) { putGroupNibble(block, group, i, q); });
}

void packBlock(const float* values, BlockQ5_K& block) {
    packGroups(values, block, 31, [&](std::size_t group, std::size_t i, int q) {
        putGroupNibble(block, group, i, q);
        block.highBits[i] |=
            static_cast<std::uint8_t>(((static_cast<unsigned>(q) >> nibbleBits) & 1) << group);
    });
}

void packBlock(const float* values, BlockQ6_K& block) {
    constexpr int mostScale = 127;
    block = {};
    std::array<float, 16> scales{};
    for (std::size_t group = 0; group < scales.size(); ++group)
        scales[group] =
            extreme({values + group * scaleElements, scaleElements}) / static_cast<float>(-middleOf6Bits);
    block.scale = toHalf(std::abs(extreme(scales)) / mostScale);
    for (std::size_t group = 0; group < scales.size(); ++group)
        block.scales[group] =
            static_cast<std::int8_t>(step(scales[group], toFloat(block.scale), -mostScale, mostScale));
    for (std::size_t i = 0; i < BlockQ6_K::elements; ++i) {
        const float scale = toFloat(block.scale) * static_cast<float>(block.scales[i / scaleElements]);
        const auto q =
            static_cast<unsigned>(step(values[i], scale, -middleOf6Bits, middleOf6Bits - 1) + middleOf6Bits);
        const std::size_t half = i / halfElements;
        const std::size_t quarter = i % halfElements / quarterElements;
        const std::size_t lane = i % quarterElements;
        block.nibbles[half * halfNibbleBytes + quarter % 2 * quarterElements + lane] |=
            static_cast<std::uint8_t>((q & lowNibble) << (quarter < 2 ? 0 : nibbleBits));
        block.highPairs[half * quarterElements + lane] |=
            static_cast<std::uint8_t>((q >> nibbleBits) << (2 * quarter));
    }
}

void packBlock(const float* values, BlockQ2_K& block) {
    constexpr int most = 3;
    constexpr int mostScale = 15;
    block = {};
    std::array<float, 16> scales{};
    std::array<float, 16> minimums{};
    for (std::size_t group = 0; group < scales.size(); ++group) {
        const float* own = values + group * scaleElements;
        const auto [least, largest] = std::minmax_element(own, own + scaleElements);
        minimums[group] = -std::min(0.0F, *least);
        scales[group] = (std::max(0.0F, *largest) + minimums[group]) / static_cast<float>(most);
    }
    block.scale = toHalf(*std::ranges::max_element(scales) / mostScale);
    block.minimum = toHalf(*std::ranges::max_element(minimums) / mostScale);
    for (std::size_t i = 0; i < BlockQ2_K::elements; ++i) {
        const std::size_t group = i / scaleElements;
        const int scaleSteps = step(scales[group], toFloat(block.scale), 0, mostScale);
        const int minimumSteps = step(minimums[group], toFloat(block.minimum), 0, mostScale);
        block.scales[group] = static_cast<std::uint8_t>(scaleSteps | minimumSteps << nibbleBits);
        const float scale = toFloat(block.scale) * static_cast<float>(scaleSteps);
        const float minimum = toFloat(block.minimum) * static_cast<float>(minimumSteps);
        const PairPlace place(i);
        block.pairs[place.byte] |=
            static_cast<std::uint8_t>(step(values[i] + minimum, scale, 0, most) << place.shift);
    }
}

void packBlock(const float* values, BlockQ3_K& block) {
    block = {};
    std::array<float, 16> scales{};
    for (std::size_t group = 0; group < scales.size(); ++group)
        scales[group] =
            extreme({values + group * scaleElements, scaleElements}) / static_cast<float>(-middleOf3Bits);
    block.scale = toHalf(std::abs(extreme(scales)) / (middleOfScales - 1));
    for (std::size_t group = 0; group < scales.size(); ++group) {
        constexpr std::size_t halves = 8;
        const auto steps = static_cast<unsigned>(
            step(scales[group], toFloat(block.scale), -middleOfScales, middleOfScales - 1) + middleOfScales);
        block.scales[group % halves] |=
            static_cast<std::uint8_t>((steps & lowNibble) << (group < halves ? 0U : nibbleBits));
        block.scales[halves + group % 4] |=
            static_cast<std::uint8_t>((steps >> nibbleBits) << (2 * (group / 4)));
    }
    for (std::size_t i = 0; i < BlockQ3_K::elements; ++i) {
        const float scale =
            toFloat(block.scale) * static_cast<float>(scaleOfQ3(block.scales, i / scaleElements));
        const auto q =
            static_cast<unsigned>(step(values[i], scale, -middleOf3Bits, middleOf3Bits - 1) + middleOf3Bits);
        const PairPlace place(i);
        block.pairs[place.byte] |= static_cast<std::uint8_t>((q & pairBits) << place.shift);
        block.thirdBits[i % quarterElements] |= static_cast<std::uint8_t>((q >> 2U) << (i / quarterElements));
    }
}

namespace {

/// The step of the curve that is nearest to value / scale.
unsigned nearestOfCurve(float value, float scale) {
    const float wanted = scale == 0 ? 0 : value / scale;
    const auto* above = std::ranges::lower_bound(curve, wanted);
    if (above == curve.begin())
        return 0;
    const bool isBelow = above == curve.end() || wanted - *(above - 1) < *above - wanted;
    return static_cast<unsigned>(above - curve.begin() - (isBelow ? 1 : 0));
}

void putHalfByte(std::uint8_t* bytes, std::size_t i, unsigned q) {
    bytes[i % half32] |= static_cast<std::uint8_t>(q << (i < half32 ? 0U : nibbleBits));
}

}  // namespace

void packBlock(const float* values, BlockIQ4_NL& block) {
    block = {};
    block.scale = toHalf(extreme({values, BlockIQ4_NL::elements}) / curve.front());
    for (std::size_t i = 0; i < BlockIQ4_NL::elements; ++i)
        putHalfByte(block.nibbles.data(), i, nearestOfCurve(values[i], toFloat(block.scale)));
}

void packBlock(const float* values, BlockIQ4_XS& block) {
    block = {};
    std::array<float, groups> scales{};
    for (std::size_t group = 0; group < groups; ++group)
        scales[group] = extreme({values + group * groupElements, groupElements}) / curve.front();
    block.scale = toHalf(std::abs(extreme(scales)) / (middleOfScales - 1));
    for (std::size_t group = 0; group < groups; ++group) {
        const auto steps = static_cast<unsigned>(
            step(scales[group], toFloat(block.scale), -middleOfScales, middleOfScales - 1) + middleOfScales);
        block.lowScales[group / 2] |=
            static_cast<std::uint8_t>((steps & lowNibble) << (group % 2 == 0 ? 0U : nibbleBits));
        block.highScales |= static_cast<std::uint16_t>((steps >> nibbleBits) << (2 * group));
        const float scale = toFloat(block.scale) * static_cast<float>(scaleOfIq4(block, group));
        for (std::size_t i = 0; i < groupElements; ++i)
            putHalfByte(block.nibbles.data() + group * half32, i,
                        nearestOfCurve(values[group * groupElements + i], scale));
    }
}

}  // namespace meshreel
