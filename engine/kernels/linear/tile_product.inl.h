// SPDX-License-Identifier: GPL-3.0-or-later
// Products in tiles, over a tile unit and what it multiplies; compiled for each pair of them.
#pragma once

#include <algorithm>

#include "engine/kernels/linear/tile_product.h"

namespace meshreel {

struct Bf16Numbers {
    template <int sum, int a, int b, typename Tiles>
    static void multiply(Tiles& tiles) {
        tiles.template multiplyBf16<sum, a, b>();
    }
};

struct Int8Numbers {
    template <int sum, int a, int b, typename Tiles>
    static void multiply(Tiles& tiles) {
        tiles.template multiplyInt8<sum, a, b>();
    }
};

template <typename Tiles, typename Numbers>
class TileProductRun {
  public:
    explicit TileProductRun(const TileProduct& product) : m_product(product) {}

    // Inputs outermost in blocks, whose rows stay in the first-level cache while the outputs pass.
    void run() {
        for (std::int64_t first = 0; first < m_product.inputSteps; first += inputBlock) {
            const std::int64_t steps = std::min(inputBlock, m_product.inputSteps - first);
            const std::int64_t next = first + steps;
            fetchOutputs(next);
            for (std::int64_t row = 0; row < m_product.rowSteps; ++row) {
                fetchRows(row, first, next);
                for (std::int64_t output = 0; output < m_product.outputSteps; ++output)
                    multiply(row, output, first, steps);
            }
        }
    }

  private:
    // Cache lines that will be needed, fetched into the second-level cache a few at a time.
    class LinesAhead {
      public:
        // `runs` stretches of `bytes`, `stride` bytes from one to the next; none when `from` is none.
        void begin(const std::byte* from, std::int64_t bytes, std::int64_t stride, std::int64_t runs) {
            m_run = from;
            m_bytes = bytes;
            m_stride = stride;
            m_runs = from != nullptr ? runs : 0;
            m_offset = 0;
        }

        void advance() {
            if (m_runs == 0)
                return;
            for (std::int64_t line = 0; line < linesAtOnce; ++line)
                __builtin_prefetch(m_run + m_offset + line * lineBytes, 0, 2);
            m_offset += linesAtOnce * lineBytes;
            if (m_offset < m_bytes)
                return;
            m_offset = 0;
            m_run += m_stride;
            --m_runs;
        }

      private:
        static constexpr std::int64_t linesAtOnce = 4;
        static constexpr std::int64_t lineBytes = 64;

        const std::byte* m_run = nullptr;
        std::int64_t m_bytes = 0;
        std::int64_t m_stride = 0;
        std::int64_t m_runs = 0;
        std::int64_t m_offset = 0;
    };

    static constexpr std::int64_t inputBlock = 12;  // 24 KB of rows; measured, docs/performance.md
    static constexpr std::int64_t tileBytes = tileRows * tileRowBytes;
    static constexpr std::int64_t stepBytes = 2 * tileBytes;
    static constexpr std::int64_t sumBytes = 4;

    [[nodiscard]] std::int64_t stepsAt(std::int64_t first) const {
        return std::min(inputBlock, m_product.inputSteps - first);
    }

    void fetchOutputs(std::int64_t next) {
        const bool last = next == m_product.inputSteps;
        const std::byte* from = last ? m_product.ahead : m_product.outputs + next * stepBytes;
        m_outputsAhead.begin(from, stepsAt(last ? 0 : next) * stepBytes, m_product.inputSteps * stepBytes,
                             m_product.outputSteps);
    }

    void fetchRows(std::int64_t row, std::int64_t first, std::int64_t next) {
        const bool last = row + 1 == m_product.rowSteps;
        const std::int64_t at = last ? next : first;
        const bool none = at == m_product.inputSteps;
        m_rowsAhead.begin(none ? nullptr : rowsAt(last ? 0 : row + 1, at), stepsAt(at) * stepBytes, 0, 1);
    }

    [[nodiscard]] const std::byte* rowsAt(std::int64_t row, std::int64_t step) const {
        return m_product.rows + (row * m_product.inputSteps + step) * stepBytes;
    }

    // 32 rows and 32 outputs: sums in tiles 0 to 3, rows in 4 and 5, outputs in 6 and 7.
    void multiply(std::int64_t row, std::int64_t output, std::int64_t first, std::int64_t steps) {
        std::byte* sums = static_cast<std::byte*>(m_product.sums) +
                          (row * m_product.sumStride + output) * tileStep * sumBytes;
        if (first == 0)
            loadSums(static_cast<const std::byte*>(m_product.start) + output * tileStep * sumBytes, 0);
        else
            loadSums(sums, m_product.sumStride * sumBytes);
        const std::byte* rows = rowsAt(row, first);
        const std::byte* outputs = m_product.outputs + (output * m_product.inputSteps + first) * stepBytes;
        for (std::int64_t step = 0; step < steps; ++step) {
            m_tiles.template load<4>(rows, tileRowBytes);
            m_tiles.template loadPassing<6>(outputs, tileRowBytes);
            Numbers::template multiply<0, 4, 6>(m_tiles);
            m_rowsAhead.advance();
            m_tiles.template loadPassing<7>(outputs + tileBytes, tileRowBytes);
            Numbers::template multiply<1, 4, 7>(m_tiles);
            m_tiles.template load<5>(rows + tileBytes, tileRowBytes);
            Numbers::template multiply<2, 5, 6>(m_tiles);
            m_outputsAhead.advance();
            Numbers::template multiply<3, 5, 7>(m_tiles);
            rows += stepBytes;
            outputs += stepBytes;
        }
        storeSums(sums, m_product.sumStride * sumBytes);
    }

    void loadSums(const std::byte* from, std::int64_t stride) {
        m_tiles.template load<0>(from, stride);
        m_tiles.template load<1>(from + tileRowBytes, stride);
        m_tiles.template load<2>(from + tileRows * stride, stride);
        m_tiles.template load<3>(from + tileRows * stride + tileRowBytes, stride);
    }

    void storeSums(std::byte* to, std::int64_t stride) const {
        m_tiles.template store<0>(to, stride);
        m_tiles.template store<1>(to + tileRowBytes, stride);
        m_tiles.template store<2>(to + tileRows * stride, stride);
        m_tiles.template store<3>(to + tileRows * stride + tileRowBytes, stride);
    }

    Tiles m_tiles;
    const TileProduct& m_product;
    LinesAhead m_rowsAhead;
    LinesAhead m_outputsAhead;
};

template <typename Tiles, typename Numbers>
void multiplyTiles(const TileProduct& product) {
    TileProductRun<Tiles, Numbers>(product).run();
}

template <typename Transpose>
void transposeOutputs(const TileStepRows& from, std::int64_t inputSteps, std::byte* to) {
    constexpr std::int64_t tileBytes = tileRows * tileRowBytes;
    constexpr std::int64_t distance = 8 * tileRowBytes;  // 32 rows are more than hardware fetches ahead
    std::array<const std::byte*, tileRows> tile{};
    for (std::int64_t step = 0; step < inputSteps; ++step)
        for (std::size_t half = 0; half < 2; ++half, to += tileBytes) {
            for (std::size_t row = 0; row < tileRows; ++row) {
                const std::byte* part = from[half * tileRows + row] + step * tileRowBytes;
                __builtin_prefetch(part + distance);
                tile[row] = part;
            }
            Transpose::transposeWords(tile, to);
        }
}

template <typename Tiles, typename Numbers, typename Transpose>
constexpr TileProductKernel tileProductKernel() {
    return {.multiply = multiplyTiles<Tiles, Numbers>, .packOutputs = transposeOutputs<Transpose>};
}

}  // namespace meshreel
