// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace meshreel {

/// One register of f32, and what the kernels written over vectors do with it. How many registers a product
/// works on at once follows from there being 16 of them. AVX2 with FMA is the floor of every build.
struct VectorAvx2 {
    static constexpr std::int64_t lanes = 8;
    static constexpr int scoreKeys = 4;
    static constexpr int scoreVectors = 3;
    static constexpr int outputQueries = 6;
    static constexpr int outputVectors = 2;

    using Value = __m256;
    using Element = float;

    static Value load(const float* from) { return _mm256_loadu_ps(from); }
    static void store(float* to, Value value) { _mm256_storeu_ps(to, value); }
    static Value broadcast(float value) { return _mm256_set1_ps(value); }
    static Value zero() { return _mm256_setzero_ps(); }
    static Value add(Value a, Value b) { return _mm256_add_ps(a, b); }
    static Value subtract(Value a, Value b) { return _mm256_sub_ps(a, b); }
    static Value multiply(Value a, Value b) { return _mm256_mul_ps(a, b); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm256_fmadd_ps(a, b, c); }

    /// a > b ? a : b in each lane, so b where either is NaN.
    static Value larger(Value a, Value b) { return _mm256_max_ps(a, b); }
    static Value smaller(Value a, Value b) { return _mm256_min_ps(a, b); }
    static Value ceil(Value value) { return _mm256_ceil_ps(value); }
    static Value nearest(Value value) {
        return _mm256_round_ps(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }

    /// 2^n for integers -127 < n < 129; 2^128 is infinity.
    static Value powerOfTwo(Value n) {
        const __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 23));
    }

    /// `value`, but `otherwise` where a < b.
    static Value unlessLess(Value a, Value b, Value value, Value otherwise) {
        return _mm256_blendv_ps(value, otherwise, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
    }
    static bool anyLess(Value a, Value b) { return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) != 0; }
};

/// The registers holding f64, as far as wide scores need them.
struct WideVectorAvx2 {
    static constexpr std::int64_t lanes = 4;
    static constexpr int scoreKeys = 4;
    static constexpr int scoreVectors = 3;

    using Value = __m256d;
    using Element = double;

    static Value load(const double* from) { return _mm256_loadu_pd(from); }
    static Value broadcast(double value) { return _mm256_set1_pd(value); }
    static Value zero() { return _mm256_setzero_pd(); }
    static Value subtract(Value a, Value b) { return _mm256_sub_pd(a, b); }
    static Value multiply(Value a, Value b) { return _mm256_mul_pd(a, b); }
    static Value multiplyAdd(Value a, Value b, Value c) { return _mm256_fmadd_pd(a, b, c); }
    static Value nearest(Value value) {
        return _mm256_round_pd(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    static void storeNarrow(float* to, Value value) { _mm_storeu_ps(to, _mm256_cvtpd_ps(value)); }
};

}  // namespace meshreel
