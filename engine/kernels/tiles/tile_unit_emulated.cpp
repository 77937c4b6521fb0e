// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/tiles/tile_unit_emulated.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace meshreel {

namespace {

float normalOrZero(float value) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

float lowHalf(std::uint32_t pair) {
    return normalOrZero(std::bit_cast<float>(pair << 16));
}

float highHalf(std::uint32_t pair) {
    return normalOrZero(std::bit_cast<float>(pair & 0xffff0000U));
}

std::int8_t extractByte(std::uint32_t word, unsigned part) {
    return static_cast<std::int8_t>(word >> (8 * part) & 0xffU);
}

}  // namespace

void TileUnitEmulated::copyIn(Tile& tile, const void* from, std::int64_t stride) {
    const auto* row = static_cast<const std::byte*>(from);
    for (auto& words16 : tile) {
        std::memcpy(words16.data(), row, sizeof(words16));
        row += stride;
    }
}

void TileUnitEmulated::copyOut(const Tile& tile, void* to, std::int64_t stride) {
    auto* row = static_cast<std::byte*>(to);
    for (const auto& words16 : tile) {
        std::memcpy(row, words16.data(), sizeof(words16));
        row += stride;
    }
}

void TileUnitEmulated::multiply(Tile& sum, const Tile& a, const Tile& b) {
    for (std::size_t row = 0; row < rows; ++row) {
        std::array<float, words> even{};
        std::array<float, words> odd{};
        for (std::size_t k = 0; k < words; ++k)
            for (std::size_t column = 0; column < words; ++column) {
                even[column] =
                    normalOrZero(std::fma(lowHalf(a[row][k]), lowHalf(b[k][column]), even[column]));
                odd[column] =
                    normalOrZero(std::fma(highHalf(a[row][k]), highHalf(b[k][column]), odd[column]));
            }
        for (std::size_t column = 0; column < words; ++column) {
            const float before = normalOrZero(std::bit_cast<float>(sum[row][column]));
            const float added = normalOrZero(even[column] + odd[column]);
            sum[row][column] = std::bit_cast<std::uint32_t>(normalOrZero(before + added));
        }
    }
}

void TileUnitEmulated::multiplyBytes(Tile& sum, const Tile& a, const Tile& b) {
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < words; ++column)
            for (std::size_t k = 0; k < words; ++k)
                for (unsigned part = 0; part < 4; ++part) {
                    const std::int32_t product =
                        extractByte(a[row][k], part) * extractByte(b[k][column], part);
                    sum[row][column] += static_cast<std::uint32_t>(product);
                }
}

}  // namespace meshreel
