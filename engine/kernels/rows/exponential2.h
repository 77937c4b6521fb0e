// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace meshreel {

/// 2^(x - shift) in f32 for an integer `shift`, |x| below 2^21 (f32) or 2^50 (f64): within 3e-7 of its value
/// where the result is normal, however large `shift`, because whole powers of two are never added to x. 0
/// below the normal numbers and for x = -infinity, infinity from 2^128 on, NaN for NaN. Branch-free, so that
/// loops over it vectorise: x = n + f, |f| <= 1/2, then a minimax polynomial of degree 5 for 2^f (relative
/// error 1.2e-7, exact at 0) and 2^(n - shift) by its exponent bits.
template <typename Real>
inline float exponential2(Real x, float shift) {
    // 1.5·2^(mantissa bits): adding it leaves the nearest integer.
    constexpr Real roundToInteger =
        std::is_same_v<Real, double> ? Real{6755399441055744.0} : Real{12582912.0F};
    constexpr float roundBits = 12582912.0F;
    constexpr float smallest = -126.0F;
    constexpr float infinite = 128.0F;

    const Real n = (x + roundToInteger) - roundToInteger;
    const auto f = static_cast<float>(x - n);
    float p = 0.00133137999F;
    p = std::fma(p, f, 0.0096728811F);
    p = std::fma(p, f, 0.0555057004F);
    p = std::fma(p, f, 0.240222156F);
    p = std::fma(p, f, 0.693147063F);
    p = std::fma(p, f, 1.0F);
    const float steps = static_cast<float>(n) - shift;
    const float exponent = steps > infinite ? infinite : steps;
    const auto biased =
        std::bit_cast<std::uint32_t>(exponent + roundBits) - std::bit_cast<std::uint32_t>(roundBits) + 127U;
    const float result = p * std::bit_cast<float>(biased << 23);
    return steps < smallest ? 0.0F : result;
}

}  // namespace meshreel
