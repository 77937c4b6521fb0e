// SPDX-License-Identifier: GPL-3.0-or-later
// Included where functions are compiled for AVX-512, after every other header.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>

#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

/// See WordTranspose.
struct WordTransposeAvx512 {
    template <typename T>
    static void transposeWords(const std::array<const T*, tileRows>& from, T* to) {
        __m512i a[tileRows];  // NOLINT(*-avoid-c-arrays): g++ drops the attributes of a template argument
        __m512i b[tileRows];  // NOLINT(*-avoid-c-arrays)
        for (std::size_t row = 0; row < tileRows; ++row)
            a[row] = _mm512_loadu_si512(from[row]);
        for (std::size_t i = 0; i < tileRows; i += 2) {
            b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
            b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
        }
        for (std::size_t i = 0; i < tileRows; i += 4) {
            a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
            a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
            a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
            a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
        }
        // a[4i + j] holds, in each quarter q, word 4q + j of rows 4i to 4i + 3.
        constexpr int evenQuarters = 0x88;
        constexpr int oddQuarters = 0xdd;
        for (std::size_t j = 0; j < 4; ++j) {
            const __m512i even0 = _mm512_shuffle_i32x4(a[j], a[4 + j], evenQuarters);
            const __m512i even1 = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], evenQuarters);
            const __m512i odd0 = _mm512_shuffle_i32x4(a[j], a[4 + j], oddQuarters);
            const __m512i odd1 = _mm512_shuffle_i32x4(a[8 + j], a[12 + j], oddQuarters);
            const auto put = [to](std::size_t word, __m512i row) {
                _mm512_storeu_si512(reinterpret_cast<std::byte*>(to) + word * tileRowBytes, row);
            };
            put(j, _mm512_shuffle_i32x4(even0, even1, evenQuarters));
            put(8 + j, _mm512_shuffle_i32x4(even0, even1, oddQuarters));
            put(4 + j, _mm512_shuffle_i32x4(odd0, odd1, evenQuarters));
            put(12 + j, _mm512_shuffle_i32x4(odd0, odd1, oddQuarters));
        }
    }
};

}  // namespace meshreel
