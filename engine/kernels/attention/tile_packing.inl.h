// SPDX-License-Identifier: GPL-3.0-or-later
// How rows become tiles; compiled for each vector type.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/base/number_types.h"
#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/tile_layout.h"
#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

template <typename Vector>
struct TilePacking {
    /// Packs the queries as rows [queryTiles·32, width], padded with zeros.
    static void packQueries(const HeadInputs& problem, const TileLayout& layout, std::uint16_t* to) {
        std::fill_n(to, layout.queryElements(), std::uint16_t{0});
        const Rows<BFloat16> rows = problem.q.narrow();
        for (std::int64_t query = 0; query < layout.queries; ++query)
            std::memcpy(to + query * layout.width(), rows.row(problem.queryRow(query)),
                        static_cast<std::size_t>(layout.headDim) * sizeof(std::uint16_t));
    }

    /// Keys `rows` as tiles of pairs of features, 16 keys to a tile: what is 16 rows of 16 pairs of features
    /// becomes, transposed, 16 rows of the same pair of 16 keys.
    static void packKeys(const HeadRows& keys, std::span<const std::int64_t> rows, const TileLayout& layout,
                         std::uint16_t* to) {
        Features features(keys, rows, layout.headDim);
        std::array<const std::uint16_t*, tileRows> tile{};
        for (std::int64_t first = 0; first < tileSteps(std::ssize(rows)) * tileStep; first += tileRows) {
            features.fetchAhead(first, tileRows);
            for (std::int64_t step = 0; step < layout.widthSteps; ++step) {
                for (std::int64_t row = 0; row < tileRows; ++row)
                    tile[static_cast<std::size_t>(row)] = features.of(first + row, step, row);
                const std::int64_t half = first / tileRows % 2;
                Vector::transposeWords(
                    tile, to + ((first / tileStep * layout.widthSteps + step) * 2 + half) * tileBf16);
            }
        }
    }

    /// Values `rows` as tiles of pairs of keys, 16 features to a tile.
    static void packValues(const HeadRows& values, std::span<const std::int64_t> rows,
                           const TileLayout& layout, std::uint16_t* to) {
        Features features(values, rows, layout.headDim);
        for (std::int64_t key = 0; key < tileSteps(std::ssize(rows)) * tileStep; key += 2) {
            features.fetchAhead(key, 2);
            for (std::int64_t step = 0; step < layout.widthSteps; ++step) {
                std::uint16_t* tile = to + (key / tileStep * layout.widthSteps + step) * 2 * tileBf16 +
                                      key % tileStep / 2 * tileStep;
                Vector::interleave(features.of(key, step, 0), features.of(key + 1, step, 1), tile,
                                   tile + tileBf16);
            }
        }
    }

  private:
    // Rows in steps of 32 features, with zeros beyond the last row and the last feature.
    class Features {
      public:
        Features(const HeadRows& from, std::span<const std::int64_t> rows, std::int64_t headDim)
            : m_from(from.narrow()), m_rows(rows), m_headDim(headDim) {}

        // Returns where step `step` of a row is; `slot` distinguishes the rows that are read together.
        const std::uint16_t* of(std::int64_t row, std::int64_t step, std::int64_t slot) {
            if (row >= std::ssize(m_rows))
                return m_zeros.data();
            const BFloat16* features = rowOf(row) + step * tileStep;
            const std::int64_t count = std::min(m_headDim - step * tileStep, tileStep);
            if (count == tileStep)
                return reinterpret_cast<const std::uint16_t*>(features);
            auto& padded = m_short[static_cast<std::size_t>(slot)];
            std::memcpy(padded.data(), features, static_cast<std::size_t>(count) * sizeof(BFloat16));
            return padded.data();
        }

        // Hardware does not prefetch short rows that are far apart.
        void fetchAhead(std::int64_t first, std::int64_t count) const {
            constexpr std::int64_t distance = 32;
            const std::int64_t end = std::min(first + distance + count, std::ssize(m_rows));
            for (std::int64_t row = first + distance; row < end; ++row)
                for (std::int64_t i = 0; i < m_headDim; i += tileStep)
                    __builtin_prefetch(rowOf(row) + i);
        }

      private:
        [[nodiscard]] const BFloat16* rowOf(std::int64_t row) const {
            return m_from.row(m_rows[static_cast<std::size_t>(row)]);
        }

        Rows<BFloat16> m_from;
        std::span<const std::int64_t> m_rows;
        std::int64_t m_headDim;
        using Row = std::array<std::uint16_t, tileStep>;
        std::array<Row, tileRows> m_short{};
        Row m_zeros{};
    };
};

}  // namespace meshreel
