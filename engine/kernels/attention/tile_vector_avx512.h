// SPDX-License-Identifier: GPL-3.0-or-later
// Included where functions are compiled for AVX-512, after every other header.
#pragma once

#include "engine/kernels/attention/vector_avx512.h"
#include "engine/kernels/tiles/word_transpose_avx512.h"

namespace meshreel {

/// What tile attention does with a register besides.
struct TileVectorAvx512 : VectorAvx512, WordTransposeAvx512 {
    static float largestLane(Value value) { return _mm512_reduce_max_ps(value); }
    static float sumOfLanes(Value value) { return _mm512_reduce_add_ps(value); }

    /// x less the integer at or below it; 0 for infinities.
    static Value fraction(Value x) { return _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }

    /// value·2^⌊x⌋.
    static Value timesPowerOfFloor(Value value, Value x) { return _mm512_scalef_ps(value, x); }

    /// Stores `low`, then `high` as bf16 (of numbers), and gives `sum` and their rounded values added up.
    static Value storeRounded(std::uint16_t* to, Value low, Value high, Value sum) {
        const __m512i lowBits = rounded(low);
        const __m512i highBits = rounded(high);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm512_cvtepi32_epi16(_mm512_srli_epi32(lowBits, 16)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + lanes),
                            _mm512_cvtepi32_epi16(_mm512_srli_epi32(highBits, 16)));
        return add(sum, add(_mm512_castsi512_ps(lowBits), _mm512_castsi512_ps(highBits)));
    }

    /// Pairs of an element of `even` and one of `odd`, the first 16 in `low`, the others in `high`.
    static void interleave(const std::uint16_t* even, const std::uint16_t* odd, std::uint16_t* low,
                           std::uint16_t* high) {
        const __m512i a = _mm512_loadu_si512(even);
        const __m512i b = _mm512_loadu_si512(odd);
        const __m512i unit = _mm512_set1_epi32(0x00200000);  // b's elements come after the 32 of a
        const __m512i first =
            _mm512_setr_epi32(0x00000, 0x10001, 0x20002, 0x30003, 0x40004, 0x50005, 0x60006, 0x70007, 0x80008,
                              0x90009, 0xa000a, 0xb000b, 0xc000c, 0xd000d, 0xe000e, 0xf000f);
        const __m512i lowAt = _mm512_add_epi32(first, unit);
        const __m512i highAt = _mm512_add_epi32(lowAt, _mm512_set1_epi32(0x00100010));
        _mm512_storeu_si512(low, _mm512_permutex2var_epi16(a, lowAt, b));
        _mm512_storeu_si512(high, _mm512_permutex2var_epi16(a, highAt, b));
    }

  private:
    // Rounds to nearest even; the lower halves become zero.
    static __m512i rounded(Value value) {
        const __m512i bits = _mm512_castps_si512(value);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
        const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
        const __m512i bf16 = _mm512_and_si512(up, _mm512_set1_epi32(-0x10000));
        // Adding could carry a NaN's bits away.
        return _mm512_castps_si512(
            _mm512_mask_mov_ps(_mm512_castsi512_ps(bf16), _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q),
                               _mm512_set1_ps(std::numeric_limits<float>::quiet_NaN())));
    }
};

#ifdef MESHREEL_AVX512_BF16
/// The same operations with the instructions of AVX512-BF16.
struct TileVectorAvx512Bf16 : TileVectorAvx512 {
    static Value storeRounded(std::uint16_t* to, Value low, Value high, Value sum) {
        const __m512bh pair = _mm512_cvtne2ps_pbh(high, low);
        _mm512_storeu_si512(to, reinterpret_cast<const __m512i&>(pair));
        const __m512i ones = _mm512_set1_epi16(0x3f80);
        return _mm512_dpbf16_ps(sum, pair, reinterpret_cast<const __m512bh&>(ones));
    }
};
#endif

}  // namespace meshreel
