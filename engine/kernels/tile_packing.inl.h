// SPDX-License-Identifier: GPL-3.0-or-later
// How rows become tiles; compiled for each vector type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/kernels/head_rows.h"
#include "engine/kernels/tile_layout.h"

namespace meshreel {

template <typename Vector>
struct TilePacking {
    /// Features [first, first + 32) of a bf16 row, zeros beyond its end.
    static void copyFeatures(const BFloat16* row, std::int64_t first, std::int64_t headDim,
                             std::uint16_t* to) {
        const std::int64_t count = std::min(headDim - first, tileStep);
        if (count == tileStep) {
            std::memcpy(to, row + first, tileStep * sizeof(std::uint16_t));
            return;
        }
        std::memcpy(to, row + first, static_cast<std::size_t>(count) * sizeof(std::uint16_t));
        std::fill(to + count, to + tileStep, std::uint16_t{0});
    }

    /// The queries as rows [queryTiles·32, width], zeros where there are none.
    static void packQueries(const HeadRows& queries, const TileLayout& layout, std::uint16_t* to) {
        std::fill_n(to, layout.queryElements(), std::uint16_t{0});
        for (std::int64_t query = 0; query < layout.queries; ++query)
            std::memcpy(to + query * layout.width(), queries.narrow().row(query),
                        static_cast<std::size_t>(layout.headDim) * sizeof(std::uint16_t));
    }

    /// Keys `rows` as tiles of pairs of features, 16 keys to a tile: what is 16 rows of 16 pairs of features
    /// becomes, transposed, 16 rows of the same pair of 16 keys.
    static void packKeys(const HeadRows& keys, std::span<const std::int64_t> rows, const TileLayout& layout,
                         std::uint16_t* to) {
        const std::int64_t count = std::ssize(rows);
        alignas(64) std::uint16_t tile[tileRows][tileStep];
        for (std::int64_t first = 0; first < tileSteps(count) * tileStep; first += tileRows)
            for (std::int64_t step = 0; step < layout.widthSteps; ++step) {
                for (std::int64_t row = 0; row < tileRows; ++row) {
                    const std::int64_t key = first + row;
                    if (key < count)
                        copyFeatures(keys.narrow().row(rows[static_cast<std::size_t>(key)]), step * tileStep,
                                     layout.headDim, tile[row]);
                    else
                        std::fill_n(tile[row], tileStep, std::uint16_t{0});
                }
                const std::int64_t half = first / tileRows % 2;
                Vector::transposePairs(
                    &tile[0][0], to + ((first / tileStep * layout.widthSteps + step) * 2 + half) * tileBf16);
            }
    }

    /// Values `rows` as tiles of pairs of keys, 16 features to a tile.
    static void packValues(const HeadRows& values, std::span<const std::int64_t> rows,
                           const TileLayout& layout, std::uint16_t* to) {
        const std::int64_t count = std::ssize(rows);
        std::uint16_t pair[2][tileStep];
        for (std::int64_t key = 0; key < tileSteps(count) * tileStep; key += 2)
            for (std::int64_t step = 0; step < layout.widthSteps; ++step) {
                for (std::int64_t half = 0; half < 2; ++half)
                    if (key + half < count)
                        copyFeatures(values.narrow().row(rows[static_cast<std::size_t>(key + half)]),
                                     step * tileStep, layout.headDim, pair[half]);
                    else
                        std::fill_n(pair[half], tileStep, std::uint16_t{0});
                std::uint16_t* tile = to + (key / tileStep * layout.widthSteps + step) * 2 * tileBf16 +
                                      key % tileStep / 2 * tileStep;
                for (std::int64_t half = 0; half < 2; ++half)
                    interleave(pair[0] + half * tileRows, pair[1] + half * tileRows, tile + half * tileBf16);
            }
    }

  private:
    static void interleave(const std::uint16_t* even, const std::uint16_t* odd, std::uint16_t* to) {
        std::uint32_t pairs[tileRows];
        for (std::int64_t i = 0; i < tileRows; ++i)
            pairs[i] = even[i] | static_cast<std::uint32_t>(odd[i]) << 16;
        std::memcpy(to, pairs, sizeof(pairs));
    }
};

}  // namespace meshreel
