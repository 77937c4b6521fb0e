// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace meshreel {

/// The CPU's eight tiles, configured for this thread as 16 rows of 64 bytes each while it lives. See
/// TileUnitEmulated for what the functions do. In assembly, because compilers' intrinsics take the number of
/// a tile as a token only, and g++ 12's for the configuration says that it reads 8 of its 64 bytes.
class TileUnitAmx {
  public:
    TileUnitAmx() {
        Configuration configuration;
        configuration.bytesPerRow.fill(64);
        configuration.rows.fill(16);
        asm volatile("ldtilecfg %0" : : "m"(configuration));
    }
    ~TileUnitAmx() { asm volatile("tilerelease"); }
    TileUnitAmx(const TileUnitAmx&) = delete;
    TileUnitAmx& operator=(const TileUnitAmx&) = delete;

    template <int tile>
    void zero() {
        asm volatile("tilezero %%tmm%c0" : : "i"(tile));
    }

    template <int tile>
    void load(const void* from, std::int64_t stride) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
    }

    template <int tile>
    void loadPassing(const void* from, std::int64_t stride) {
        asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
    }

    template <int tile>
    void store(void* to, std::int64_t stride) const {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
    }

    template <int sum, int a, int b>
    void multiplyBf16() {
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sum), "i"(a), "i"(b));
    }

    template <int sum, int a, int b>
    void multiplyInt8() {
        asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sum), "i"(a), "i"(b));
    }

  private:
    // The layout that LDTILECFG reads: palette 1, and the shapes of tiles 0 to 7 of 16.
    struct alignas(64) Configuration {
        std::uint8_t palette = 1;
        std::uint8_t startRow = 0;
        std::array<std::uint8_t, 14> reserved{};
        std::array<std::uint16_t, 8> bytesPerRow{};
        std::array<std::uint16_t, 8> unusedBytesPerRow{};
        std::array<std::uint8_t, 8> rows{};
        std::array<std::uint8_t, 8> unusedRows{};
    };
    static_assert(sizeof(Configuration) == 64);
};

}  // namespace meshreel
