// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/random/cephes.h"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace meshreel {
namespace {

constexpr std::array logCoefficients{7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                     -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                     2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
constexpr std::array sineCoefficients{-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};
constexpr std::array cosineCoefficients{2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F};

// ln 2 and pi / 4 in parts whose products with small whole numbers are exact.
constexpr float ln2High = 0.693359375F;
constexpr float ln2Low = -2.12194440e-4F;
constexpr std::array quarterPi{0.78515625F, 2.4187564849853515625e-4F, 3.77489497744594108e-8F};

// std::fma stands where the compiler fuses torch's code: that, too, decides the last bit.

float horner(std::span<const float> coefficients, float x) {
    float value = coefficients.front();
    for (const float coefficient : coefficients.subspan(1))
        value = std::fma(value, x, coefficient);
    return value;
}

}  // namespace

float cephesLog(float x) {
    int exponent = 0;
    float mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
    if (mantissa < std::numbers::sqrt2_v<float> / 2.0F) {
        mantissa += mantissa;
        --exponent;
    }
    mantissa -= 1.0F;
    const auto e = static_cast<float>(exponent);
    const float square = mantissa * mantissa;
    float value = std::fma(horner(logCoefficients, mantissa) * mantissa, square, e * ln2Low);
    value = std::fma(-0.5F, square, value);
    return std::fma(e, ln2High, mantissa + value);
}

SineCosine cephesSineCosine(float x) {
    const int octant = (static_cast<int>(x * (4.0F / std::numbers::pi_v<float>)) + 1) & ~1;
    const auto y = static_cast<float>(octant);
    for (const float part : quarterPi)
        x = std::fma(-y, part, x);

    const float square = x * x;
    const float cosine = std::fma(horner(cosineCoefficients, square) * square, square, -0.5F * square) + 1.0F;
    const float sine = std::fma(horner(sineCoefficients, square) * square, x, x);
    switch ((octant / 2) % 4) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

}  // namespace meshreel
