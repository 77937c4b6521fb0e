// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_matrices.h"

#include <bit>
#include <cstring>

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

/// D in Sum, from the numbers of A [row][k] and B [k][column].
template <typename Sum, std::size_t Depth, typename Into, typename From>
std::array<PtxWords, 4> multiplyNumbers(const std::array<std::array<Sum, Depth>, rowsOfA>& left,
                                        const std::array<std::array<Sum, columnsOfB>, Depth>& right,
                                        std::span<const PtxWords, 4> c, const Into& toSum,
                                        const From& fromSum) {
    std::array<std::array<Sum, columnsOfB>, rowsOfA> sums;
    const auto each = [&](const auto& visit) {
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            for (std::size_t r = 0; r < 4; ++r)
                visit(sums[lane / 4 + 8 * (r / 2)][2 * (lane % 4) + r % 2], r, lane);
    };
    each([&](Sum& sum, std::size_t r, std::size_t lane) { sum = toSum(c[r][lane]); });
    for (std::size_t row = 0; row < rowsOfA; ++row)
        for (std::size_t k = 0; k < Depth; ++k)
            for (std::size_t column = 0; column < columnsOfB; ++column)
                sums[row][column] += left[row][k] * right[k][column];
    std::array<PtxWords, 4> d;
    each([&](const Sum& sum, std::size_t r, std::size_t lane) { d[r][lane] = fromSum(sum); });
    return d;
}

}  // namespace

std::array<PtxWords, 4> multiplyBf16(std::span<const PtxWords, 4> a, std::span<const PtxWords, 2> b,
                                     std::span<const PtxWords, 4> c) {
    const FactorA leftWords = gatherA(a);
    const FactorB rightWords = gatherB(b);
    std::array<std::array<double, 2 * wordsOfK>, rowsOfA> left;
    std::array<std::array<double, columnsOfB>, 2 * wordsOfK> right;
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
    std::array<std::array<std::uint32_t, 4 * wordsOfK>, rowsOfA> left;
    std::array<std::array<std::uint32_t, columnsOfB>, 4 * wordsOfK> right;
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
