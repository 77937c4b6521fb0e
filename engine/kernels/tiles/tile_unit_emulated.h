// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meshreel {

/// Eight tiles of 16 rows of 64 bytes, written out as the instructions are specified: the products of a
/// pair's two halves are summed apart from zero, rounded to nearest even with subnormals taken and given as
/// zero, and only then added to each other and to the accumulator.
class TileUnitEmulated {
  public:
    template <int tile>
    void zero() {
        m_tiles[tile] = {};
    }

    /// 16 rows, `stride` bytes apart.
    template <int tile>
    void load(const void* from, std::int64_t stride) {
        copyIn(m_tiles[tile], from, stride);
    }

    /// Loads memory that is not needed again soon, without evicting other data from the first-level cache.
    template <int tile>
    void loadPassing(const void* from, std::int64_t stride) {
        load<tile>(from, stride);
    }

    template <int tile>
    void store(void* to, std::int64_t stride) const {
        copyOut(m_tiles[tile], to, stride);
    }

    /// sum += a·b: `a` holds rows of bf16, `b` pairs of them: element [k][column][half] is b's row 2k + half.
    template <int sum, int a, int b>
    void multiplyBf16() {
        multiply(m_tiles[sum], m_tiles[a], m_tiles[b]);
    }

    /// Multiplies int8: `a` holds 16 rows of 64, `b` element [k][column][part] is b's row 4k + part; sums are
    /// int32 and wrap around.
    template <int sum, int a, int b>
    void multiplyInt8() {
        multiplyBytes(m_tiles[sum], m_tiles[a], m_tiles[b]);
    }

  private:
    static constexpr std::size_t rows = 16;
    static constexpr std::size_t words = 16;  // 32 bits each
    using Tile = std::array<std::array<std::uint32_t, words>, rows>;

    static void copyIn(Tile& tile, const void* from, std::int64_t stride);
    static void copyOut(const Tile& tile, void* to, std::int64_t stride);
    static void multiply(Tile& sum, const Tile& a, const Tile& b);
    static void multiplyBytes(Tile& sum, const Tile& a, const Tile& b);

    std::array<Tile, 8> m_tiles{};
};

}  // namespace meshreel
