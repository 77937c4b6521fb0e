// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meshreel {

/// Eight tiles of 16 rows of 64 bytes for CPUs with AVX512-BF16 and no tiles, which multiply pairs of bf16 in
/// vector registers. See TileUnitEmulated for what the functions do. Tiles 0 to 3 hold sums; 4 to 7 are
/// factors, which stay where they lie: their memory must not change before they are multiplied.
class TileUnitAvx512Bf16 {
  public:
    template <int tile>
    void zero() {
        static_assert(tile < sumTiles);
        m_sums[tile] = {};
    }

    template <int tile>
    void load(const void* from, std::int64_t stride) {
        if constexpr (tile < sumTiles)
            copyIn(m_sums[tile], from, stride);
        else
            m_factors[tile - sumTiles] = {.rows = static_cast<const std::byte*>(from), .stride = stride};
    }

    template <int tile>
    void store(void* to, std::int64_t stride) const {
        static_assert(tile < sumTiles);
        copyOut(m_sums[tile], to, stride);
    }

    template <int sum, int a, int b>
    void multiplyBf16() {
        static_assert(sum < sumTiles && a >= sumTiles && b >= sumTiles);
        multiply(m_sums[sum], m_factors[a - sumTiles], m_factors[b - sumTiles]);
    }

  private:
    static constexpr int sumTiles = 4;
    static constexpr int factorTiles = 4;
    static constexpr std::size_t rows = 16;
    static constexpr std::size_t columns = 16;
    struct alignas(64) Sums {
        std::array<std::array<float, columns>, rows> values{};
    };
    struct Factor {
        const std::byte* rows = nullptr;
        std::int64_t stride = 0;  // bytes
    };

    static void copyIn(Sums& sums, const void* from, std::int64_t stride);
    static void copyOut(const Sums& sums, void* to, std::int64_t stride);
    static void multiply(Sums& sums, const Factor& a, const Factor& b);

    std::array<Sums, sumTiles> m_sums{};
    std::array<Factor, factorTiles> m_factors{};
};

}  // namespace meshreel
