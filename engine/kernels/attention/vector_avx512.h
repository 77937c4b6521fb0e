// SPDX-License-Identifier: GPL-3.0-or-later
// Included where functions are compiled for AVX-512 (see panel_kernels_avx512.cpp), after every other header.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace meshreel {

/// One register of f32, and what the kernels written over vectors do with it. How many registers a product
/// works on at once follows from there being 32 of them.
struct VectorAvx512 {
    static constexpr std::int64_t lanes = 16;
    static constexpr int scoreKeys = 8;
    static constexpr int scoreVectors = 3;
    static constexpr int outputQueries = 12;
    static constexpr int outputVectors = 2;

    using Value = __m512;
    using Element = float;

    static Value load(const float* from) { return _mm512_loadu_ps(from); }
    static void store(float* to, Value value) { _mm512_storeu_ps(to, value); }
    static Value broadcast(float value) { return _mm512_set1_ps(value); }
    static Value zero() { return _mm512_setzero_ps(); }
    static Value add(Value a, Value b) { return _mm512_add_ps(a, b); }
    static Value subtract(Value a, Value b) { return _mm512_sub_ps(a, b); }
    static Value multiply(Value a, Value b) { return _mm512_mul_ps(a, b); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm512_fmadd_ps(a, b, c); }

    /// a > b ? a : b in each lane, so b where either is NaN.
    static Value larger(Value a, Value b) { return _mm512_max_ps(a, b); }
    static Value smaller(Value a, Value b) { return _mm512_min_ps(a, b); }
    static Value ceil(Value value) { return _mm512_roundscale_ps(value, _MM_FROUND_CEIL); }
    static Value nearest(Value value) { return _mm512_roundscale_ps(value, _MM_FROUND_TO_NEAREST_INT); }

    /// 2^n for integers -127 < n < 129; 2^128 is infinity.
    static Value powerOfTwo(Value n) {
        const __m512i bits = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
        return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 23));
    }

    /// `value`, but `otherwise` where a < b.
    static Value unlessLess(Value a, Value b, Value value, Value otherwise) {
        return _mm512_mask_mov_ps(value, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), otherwise);
    }
    static bool anyLess(Value a, Value b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) != 0; }
};

/// The registers holding f64, as far as wide scores need them.
struct WideVectorAvx512 {
    static constexpr std::int64_t lanes = 8;
    static constexpr int scoreKeys = 8;
    static constexpr int scoreVectors = 3;

    using Value = __m512d;
    using Element = double;

    static Value load(const double* from) { return _mm512_loadu_pd(from); }
    static Value broadcast(double value) { return _mm512_set1_pd(value); }
    static Value zero() { return _mm512_setzero_pd(); }
    static Value subtract(Value a, Value b) { return _mm512_sub_pd(a, b); }
    static Value multiply(Value a, Value b) { return _mm512_mul_pd(a, b); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm512_fmadd_pd(a, b, c); }
    static Value nearest(Value value) { return _mm512_roundscale_pd(value, _MM_FROUND_TO_NEAREST_INT); }
    static void storeNarrow(float* to, Value value) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(value)); }
};

}  // namespace meshreel
