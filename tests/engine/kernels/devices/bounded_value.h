// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>

#include "engine/tensor/dtype.h"

namespace meshreel::testing {

// What a right kernel may answer. The tolerance of a test is not chosen: it follows from the number format
// and the length of the sum, by the standard model of rounding (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, sections 2.2 and 3.1). Each operation gives (1 + d) times the exact result, |d| <=
// u. A sum of n terms, each rounded once before, is then off by at most g(n) Σ|term|, g(n) = nu / (1 - nu),
// in any order and with or without fused multiplication: so it holds for every device. Factors are those that
// the kernel multiplies: who rounds them first does so in the reference too.

/// u: half the distance from 1 to the next number.
inline double unitRoundoff(DType type) {
    constexpr int bitsOfF32 = 24;
    constexpr int bitsOfBf16 = 8;
    return std::ldexp(1.0, type == DType::BF16 ? -bitsOfBf16 : -bitsOfF32);
}

/// A value in double, and how far a kernel's may be from it.
struct Bounded {
    double value = 0.0;
    double error = 0.0;

    /// Never of a NaN.
    [[nodiscard]] bool admits(double found) const { return std::abs(found - value) <= error; }
};

inline std::ostream& operator<<(std::ostream& out, const Bounded& bounded) {
    return out << bounded.value << " ± " << bounded.error;
}

/// As it is stored in this type.
inline Bounded stored(const Bounded& x, DType type) {
    return {x.value, x.error + unitRoundoff(type) * (std::abs(x.value) + x.error)};
}

/// Computed in f32.
inline Bounded product(const Bounded& x, double exact) {
    return stored({x.value * exact, x.error * std::abs(exact)}, DType::F32);
}

inline Bounded sum(const Bounded& x, const Bounded& y) {
    return stored({x.value + y.value, x.error + y.error}, DType::F32);
}

inline Bounded quotient(const Bounded& x, const Bounded& y) {
    const double smallest = std::abs(y.value) - y.error;
    return stored({x.value / y.value, (x.error + std::abs(x.value / y.value) * y.error) / smallest},
                  DType::F32);
}

/// Of functions that kernels make of polynomials: each within so many roundings of its value.
inline constexpr double roundingsOfFunction = 32.0;

/// e^x. An error of x is a factor of the result.
inline Bounded exponential(const Bounded& x) {
    const double factor = std::exp(x.error) * (1.0 + roundingsOfFunction * unitRoundoff(DType::F32));
    return {std::exp(x.value), std::exp(x.value) * (factor - 1.0)};
}

/// An activation in f32, by functions that are off by roundings of the value or of 1, the larger.
template <typename Definition>
Bounded activated(Definition definition, const Bounded& x) {
    constexpr double steepest = 1.13;  // of GELU, near 1.4; of SiLU 1.1
    return {definition(x.value), steepest * x.error + roundingsOfFunction * unitRoundoff(DType::F32) *
                                                          std::max(1.0, std::abs(x.value))};
}

/// 1/√x of x > 0.
inline Bounded inverseRoot(const Bounded& x) {
    const double value = 1.0 / std::sqrt(x.value);
    const double most = 1.0 / std::sqrt(std::max(x.value - x.error, std::numeric_limits<double>::min()));
    return {value, most - value + roundingsOfFunction * unitRoundoff(DType::F32) * most};
}

/// Of two values that are both rounded.
inline Bounded product(const Bounded& x, const Bounded& y) {
    return stored({x.value * y.value, x.error * std::abs(y.value) + y.error * (std::abs(x.value) + x.error)},
                  DType::F32);
}

/// A sum of products that a kernel adds up in f32.
class BoundedSum {
  public:
    void add(double left, double right) {
        const double product = left * right;
        m_value += product;
        m_magnitude += std::abs(product);
        ++m_terms;
    }

    // Of `count` products, left[i] · right[i · stride]: references have millions, and are no slower than
    // kernels.
    void add(const float* left, const float* right, std::int64_t count, std::int64_t stride = 1);
    void add(const Bounded* left, const float* right, std::int64_t count, std::int64_t stride);

    /// Of a factor that was computed before.
    void add(const Bounded& left, double right) {
        m_value += left.value * right;
        m_magnitude += (std::abs(left.value) + left.error) * std::abs(right);
        m_error += left.error * std::abs(right);
        ++m_terms;
    }

    [[nodiscard]] Bounded total() const {
        const double rounded = static_cast<double>(m_terms + 1) * unitRoundoff(DType::F32);
        return {m_value, m_error + rounded / (1.0 - rounded) * m_magnitude};
    }

    /// Σ|term|.
    [[nodiscard]] double magnitude() const { return m_magnitude; }

    /// Of products that int32 adds up exactly: what is rounded are the scale of each factor (from the largest
    /// magnitude, a division), their product, and the sum as f32 times it.
    [[nodiscard]] Bounded exactTotal() const {
        constexpr double roundings = 6.0;
        return {m_value, roundings * unitRoundoff(DType::F32) * m_magnitude};
    }

  private:
    double m_value = 0.0;
    double m_magnitude = 0.0;
    double m_error = 0.0;  // of the factors
    std::int64_t m_terms = 0;
};

}  // namespace meshreel::testing
