// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/tiles/tile_unit_avx512_bf16.h"

#include <immintrin.h>

#include <cstring>

#include "engine/kernels/dispatch/isa_region.h"

namespace meshreel {

void TileUnitAvx512Bf16::copyIn(Sums& sums, const void* from, std::int64_t stride) {
    const auto* row = static_cast<const std::byte*>(from);
    for (auto& values : sums.values) {
        std::memcpy(values.data(), row, sizeof(values));
        row += stride;
    }
}

void TileUnitAvx512Bf16::copyOut(const Sums& sums, void* to, std::int64_t stride) {
    auto* row = static_cast<std::byte*>(to);
    for (const auto& values : sums.values) {
        std::memcpy(row, values.data(), sizeof(values));
        row += stride;
    }
}

}  // namespace meshreel

MESHREEL_BEGIN_AVX512_BF16
namespace meshreel {

namespace {

// total += pairs · the pair of bf16 at `pair`, for all lanes. In assembly, because g++ 12 would copy the pair
// to all lanes of a register first.
inline void multiplyAdd(__m512& total, __m512i pairs, const std::byte* pair) {
    asm("vdpbf16ps %2%{1to16%}, %1, %0"
        : "+v"(total)
        : "v"(pairs), "m"(*reinterpret_cast<const std::uint32_t*>(pair)));
}

}  // namespace

// Eight rows of sums at a time: products that do not wait for each other, and addresses that all stay in
// registers.
void TileUnitAvx512Bf16::multiply(Sums& sums, const Factor& a, const Factor& b) {
    constexpr std::size_t rowsAtATime = 8;
    constexpr std::int64_t pairs = 16;
    constexpr std::int64_t pairBytes = 4;
    for (std::size_t first = 0; first < rows; first += rowsAtATime) {
        const std::byte* lefts = a.rows + static_cast<std::int64_t>(first) * a.stride;
        __m512 totals[rowsAtATime];  // NOLINT(modernize-avoid-c-arrays): std::array would drop its attributes
        for (std::size_t row = 0; row < rowsAtATime; ++row)
            totals[row] = _mm512_load_ps(sums.values[first + row].data());
        for (std::int64_t pair = 0; pair < pairs; ++pair) {
            const __m512i rights = _mm512_loadu_si512(b.rows + pair * b.stride);
            for (std::size_t row = 0; row < rowsAtATime; ++row)
                multiplyAdd(totals[row], rights,
                            lefts + static_cast<std::int64_t>(row) * a.stride + pair * pairBytes);
        }
        for (std::size_t row = 0; row < rowsAtATime; ++row)
            _mm512_store_ps(sums.values[first + row].data(), totals[row]);
    }
}

}  // namespace meshreel
MESHREEL_END_ISA
