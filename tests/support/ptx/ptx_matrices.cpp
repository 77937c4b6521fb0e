// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_matrices.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "tests/support/instrumented.h"

namespace meshreel::testing {
namespace {

constexpr std::size_t rowsOfA = 16;
constexpr std::size_t columnsOfB = 8;
constexpr std::size_t wordsOfK = 8;

using FactorA = std::array<std::array<std::uint32_t, wordsOfK>, rowsOfA>;
using FactorB = std::array<std::array<std::uint32_t, wordsOfK>, columnsOfB>;

FactorA gatherA(std::span<const PtxWords, 4> a) {
    FactorA made;
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        for (std::size_t r = 0; r < 4; ++r)
            made[lane / 4 + 8 * (r % 2)][lane % 4 + 4 * (r / 2)] = a[r][lane];
    return made;
}

FactorB gatherB(std::span<const PtxWords, 2> b) {
    FactorB made;
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        for (std::size_t r = 0; r < 2; ++r)
            made[lane / 4][lane % 4 + 4 * r] = b[r][lane];
    return made;
}

float lowHalf(std::uint32_t word) {
    return std::bit_cast<float>(word << 16U);
}

float highHalf(std::uint32_t word) {
    return std::bit_cast<float>(word & 0xffff0000U);
}

template <typename Number, std::size_t Depth>
using NumbersOfA = std::array<std::array<Number, Depth>, rowsOfA>;
template <typename Number, std::size_t Depth>
using NumbersOfB = std::array<std::array<Number, columnsOfB>, Depth>;
template <typename Number>
using Sums = std::array<std::array<Number, columnsOfB>, rowsOfA>;

template <typename Number, std::size_t Depth>
[[gnu::always_inline]] inline void addProducts(const NumbersOfA<Number, Depth>& left,
                                               const NumbersOfB<Number, Depth>& right, Sums<Number>& sums) {
    for (std::size_t row = 0; row < rowsOfA; ++row)
        for (std::size_t k = 0; k < Depth; ++k)
            for (std::size_t column = 0; column < columnsOfB; ++column)
                sums[row][column] += left[row][k] * right[k][column];
}

// Most of an interpreted video's time goes here, so each CPU takes its widest vectors. Products of two bf16
// are exact in double: fused or not, the sums are the same. Sanitizers are not ready when clones are chosen.
#if defined(__x86_64__) && !MESHREEL_CHECKS_ADDRESSES && !MESHREEL_CHECKS_RACES
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void addWide(const NumbersOfA<double, 2 * wordsOfK>& left, const NumbersOfB<double, 2 * wordsOfK>& right,
             Sums<double>& sums) {
    addProducts<double, 2 * wordsOfK>(left, right, sums);
}

void addWide(const NumbersOfA<std::uint32_t, 4 * wordsOfK>& left,
             const NumbersOfB<std::uint32_t, 4 * wordsOfK>& right, Sums<std::uint32_t>& sums) {
    addProducts<std::uint32_t, 4 * wordsOfK>(left, right, sums);
}

/// D in Sum, from the numbers of A [row][k] and B [k][column].
template <typename Sum, std::size_t Depth, typename Into, typename From>
std::array<PtxWords, 4> multiplyNumbers(const NumbersOfA<Sum, Depth>& left,
                                        const NumbersOfB<Sum, Depth>& right, std::span<const PtxWords, 4> c,
                                        const Into& toSum, const From& fromSum) {
    Sums<Sum> sums;
    const auto each = [&](const auto& visit) {
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            for (std::size_t r = 0; r < 4; ++r)
                visit(sums[lane / 4 + 8 * (r / 2)][2 * (lane % 4) + r % 2], r, lane);
    };
    each([&](Sum& sum, std::size_t r, std::size_t lane) { sum = toSum(c[r][lane]); });
    addWide(left, right, sums);
    std::array<PtxWords, 4> d;
    each([&](const Sum& sum, std::size_t r, std::size_t lane) { d[r][lane] = fromSum(sum); });
    return d;
}

}  // namespace

std::array<PtxWords, 4> multiplyBf16(std::span<const PtxWords, 4> a, std::span<const PtxWords, 2> b,
                                     std::span<const PtxWords, 4> c) {
    const FactorA leftWords = gatherA(a);
    const FactorB rightWords = gatherB(b);
    NumbersOfA<double, 2 * wordsOfK> left;
    NumbersOfB<double, 2 * wordsOfK> right;
    for (std::size_t word = 0; word < wordsOfK; ++word) {
        for (std::size_t row = 0; row < rowsOfA; ++row) {
            left[row][2 * word] = static_cast<double>(lowHalf(leftWords[row][word]));
            left[row][2 * word + 1] = static_cast<double>(highHalf(leftWords[row][word]));
        }
        for (std::size_t column = 0; column < columnsOfB; ++column) {
            right[2 * word][column] = static_cast<double>(lowHalf(rightWords[column][word]));
            right[2 * word + 1][column] = static_cast<double>(highHalf(rightWords[column][word]));
        }
    }
    return multiplyNumbers(
        left, right, c, [](std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); },
        [](double sum) { return std::bit_cast<std::uint32_t>(static_cast<float>(sum)); });
}

std::array<PtxWords, 4> multiplyInt8(std::span<const PtxWords, 4> a, std::span<const PtxWords, 2> b,
                                     std::span<const PtxWords, 4> c) {
    const auto leftBytes =
        std::bit_cast<std::array<std::array<std::int8_t, 4 * wordsOfK>, rowsOfA>>(gatherA(a));
    const auto rightBytes =
        std::bit_cast<std::array<std::array<std::int8_t, 4 * wordsOfK>, columnsOfB>>(gatherB(b));
    // Sums wrap around, as without .satfinite.
    NumbersOfA<std::uint32_t, 4 * wordsOfK> left;
    NumbersOfB<std::uint32_t, 4 * wordsOfK> right;
    for (std::size_t k = 0; k < 4 * wordsOfK; ++k) {
        for (std::size_t row = 0; row < rowsOfA; ++row)
            left[row][k] = static_cast<std::uint32_t>(leftBytes[row][k]);
        for (std::size_t column = 0; column < columnsOfB; ++column)
            right[k][column] = static_cast<std::uint32_t>(rightBytes[column][k]);
    }
    const auto same = [](std::uint32_t word) { return word; };
    return multiplyNumbers(left, right, c, same, same);
}

PtxWords distributeMatrix(std::span<const PtxMatrixRow, 8> rows, bool isTransposed) {
    std::array<std::array<std::uint16_t, 8>, 8> elements;
    std::memcpy(elements.data(), rows.data(), sizeof(elements));
    PtxWords words;
    for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
        const std::size_t group = lane / 4;
        const std::size_t first = 2 * (lane % 4);
        const std::uint32_t low = isTransposed ? elements[first][group] : elements[group][first];
        const std::uint32_t high = isTransposed ? elements[first + 1][group] : elements[group][first + 1];
        words[lane] = low | high << 16U;
    }
    return words;
}

}  // namespace meshreel::testing
