// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/number_types.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace meshreel {

// F16C is part of x86-64-v3, the floor of every build.
float toFloat(Half value) {
    return _cvtsh_ss(value.bits);
}

Half toHalf(float value) {
    // Not _cvtss_sh: in clang's headers it is a C99 compound literal.
    const __m128i halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return Half{static_cast<std::uint16_t>(_mm_extract_epi16(halves, 0))};
}

void convert(std::span<const BFloat16> from, std::span<float> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toFloat(from[i]);
}

void convert(std::span<const Half> from, std::span<float> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toFloat(from[i]);
}

void convert(std::span<const float> from, std::span<BFloat16> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toBFloat16(from[i]);
}

namespace {

constexpr std::uint8_t signBit = 0x80;
constexpr std::uint8_t e4m3Nan = 0x7F;
constexpr std::uint8_t e5m2Nan = 0x7E;
constexpr std::uint8_t e5m2Infinity = 0x7C;
constexpr std::uint8_t e4m3Largest = 0x7E;  // 448
constexpr int e4m3MantissaBits = 3;
constexpr int e5m2MantissaBits = 2;
constexpr int e4m3Bias = 7;
constexpr int e5m2Bias = 15;

float e4m3ToFloat(std::uint8_t bits) {
    const int magnitude = bits & ~signBit;
    if (magnitude == e4m3Nan)
        return std::numeric_limits<float>::quiet_NaN();
    const int exponent = magnitude >> e4m3MantissaBits;
    const int mantissa = magnitude & ((1 << e4m3MantissaBits) - 1);
    const int implied = exponent == 0 ? 0 : 1 << e4m3MantissaBits;
    const int power = (exponent == 0 ? 1 : exponent) - e4m3Bias - e4m3MantissaBits;
    const float value = std::ldexp(static_cast<float>(implied + mantissa), power);
    return (bits & signBit) != 0 ? -value : value;
}

using Table = std::array<float, 256>;

const Table& e4m3Table() {
    static const Table table = [] {
        Table values{};
        for (std::size_t bits = 0; bits < values.size(); ++bits)
            values[bits] = e4m3ToFloat(static_cast<std::uint8_t>(bits));
        return values;
    }();
    return table;
}

const Table& e5m2Table() {
    static const Table table = [] {
        Table values{};
        for (std::size_t bits = 0; bits < values.size(); ++bits)
            values[bits] = toFloat(Half{static_cast<std::uint16_t>(bits << 8U)});
        return values;
    }();
    return table;
}

/// Exponent and mantissa bits of a finite magnitude, rounded to nearest even; may be too large for the type.
unsigned roundedMagnitude(float magnitude, int mantissaBits, int bias) {
    if (magnitude == 0.0F)
        return 0;
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = m · 2^exponent, 0.5 <= m < 1
    const int unit = std::max(exponent - 1, 1 - bias) - mantissaBits;  // power of the last place
    const auto places = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, -unit)));
    const int field = unit + mantissaBits + bias;  // for a normal number; 1 for the subnormal ones
    // The implied one of a normal number adds to the field below; that of a subnormal one is not there.
    return (static_cast<unsigned>(field - 1) << static_cast<unsigned>(mantissaBits)) + places;
}

std::uint8_t isolateSign(float value) {
    return std::signbit(value) ? signBit : std::uint8_t{0};
}

}  // namespace

float toFloat(Float8E4M3 value) {
    return e4m3Table()[value.bits];
}

float toFloat(Float8E5M2 value) {
    return e5m2Table()[value.bits];
}

Float8E4M3 toFloat8E4M3(float value) {
    const std::uint8_t sign = isolateSign(value);
    if (std::isnan(value))
        return {static_cast<std::uint8_t>(sign | e4m3Nan)};
    const float magnitude = std::abs(value);
    if (magnitude >= toFloat(Float8E4M3{e4m3Largest}))
        return {static_cast<std::uint8_t>(sign | e4m3Largest)};
    return {static_cast<std::uint8_t>(
        sign | std::min<unsigned>(roundedMagnitude(magnitude, e4m3MantissaBits, e4m3Bias), e4m3Largest))};
}

Float8E5M2 toFloat8E5M2(float value) {
    const std::uint8_t sign = isolateSign(value);
    if (std::isnan(value))
        return {static_cast<std::uint8_t>(sign | e5m2Nan)};
    if (std::isinf(value))
        return {static_cast<std::uint8_t>(sign | e5m2Infinity)};
    return {static_cast<std::uint8_t>(
        sign |
        std::min<unsigned>(roundedMagnitude(std::abs(value), e5m2MantissaBits, e5m2Bias), e5m2Infinity))};
}

void convert(std::span<const Float8E4M3> from, std::span<float> to) {
    const Table& table = e4m3Table();
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = table[from[i].bits];
}

void convert(std::span<const Float8E5M2> from, std::span<float> to) {
    const Table& table = e5m2Table();
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = table[from[i].bits];
}

}  // namespace meshreel
