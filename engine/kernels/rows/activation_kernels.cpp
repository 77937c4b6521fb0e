// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once for each instruction set, as row_kernels.cpp.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_BASELINE_TARGETS HWY_AVX2
#define HWY_DISABLED_TARGETS HWY_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/rows/activation_kernels.cpp"

#include "engine/kernels/rows/activation_kernels.h"

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "engine/kernels/rows/row_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace meshreel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::ScalableTag<std::int32_t>;
using FloatVector = hn::Vec<Floats>;
using IntegerVector = hn::Vec<Integers>;

HWY_INLINE FloatVector all(float value) {
    return hn::Set(Floats(), value);
}

HWY_INLINE FloatVector powerOfTwo(IntegerVector exponent) {
    return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(Integers(), 127))));
}

/// exponential() of exponential.h, step by step.
HWY_INLINE FloatVector exponential(FloatVector x) {
    const FloatVector largest = all(88.7228394F);
    const FloatVector smallest = all(-87.33654F);
    constexpr float roundToInteger = 12582912.0F;
    const auto above = hn::Gt(x, largest);
    const auto below = hn::Lt(x, smallest);
    const FloatVector bounded = hn::IfThenElse(above, largest, hn::IfThenElse(below, smallest, x));
    const FloatVector shifted = hn::MulAdd(bounded, all(1.44269504F), all(roundToInteger));
    const FloatVector n = hn::Sub(shifted, all(roundToInteger));
    const FloatVector r =
        hn::NegMulAdd(n, all(-2.12194440e-4F), hn::NegMulAdd(n, all(0.693359375F), bounded));
    FloatVector p = all(1.0F / 5040.0F);
    for (const float coefficient :
         {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F})
        p = hn::MulAdd(p, r, all(coefficient));
    const IntegerVector steps = hn::Sub(hn::BitCast(Integers(), shifted),
                                        hn::Set(Integers(), std::bit_cast<std::int32_t>(roundToInteger)));
    const IntegerVector half = hn::ShiftRight<1>(steps);
    const FloatVector result = hn::Mul(hn::Mul(p, powerOfTwo(half)), powerOfTwo(hn::Sub(steps, half)));
    return hn::IfThenElse(below, hn::Zero(Floats()),
                          hn::IfThenElse(above, all(std::numeric_limits<float>::infinity()), result));
}

/// x / (1 + e^exponent(x)) for every element.
template <typename Exponent>
HWY_INLINE void gate(std::span<float> values, const Exponent& exponent) {
    const Floats floats;
    const auto gated = [&](FloatVector x) {
        return hn::Div(x, hn::Add(all(1.0F), exponential(exponent(x))));
    };
    const std::size_t lanes = hn::Lanes(floats);
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes)
        hn::StoreU(gated(hn::LoadU(floats, values.data() + i)), floats, values.data() + i);
    if (i == values.size())
        return;
    const auto left = hn::FirstN(floats, values.size() - i);
    hn::BlendedStore(gated(hn::MaskedLoad(left, floats, values.data() + i)), left, floats, values.data() + i);
}

void geluTanh(std::span<float> values) {
    // (1 + tanh u)/2 = 1/(1 + e^-2u), which does not cancel for negative u = √(2/π)·(x + 0.044715·x³).
    gate(values, [](FloatVector x) {
        const FloatVector cube = hn::Mul(hn::Mul(hn::Mul(all(0.044715F), x), x), x);
        return hn::Mul(all(-1.59576912F), hn::Add(x, cube));
    });
}

void geluQuick(std::span<float> values) {
    gate(values, [](FloatVector x) { return hn::Mul(all(-1.702F), x); });
}

void silu(std::span<float> values) {
    gate(values, [](FloatVector x) { return hn::Neg(x); });
}

}  // namespace

// Seen by the choice below from another pass over this file.
ActivationKernels activationKernelsNamed(std::string_view isa) {
    return {.isa = isa, .geluTanh = geluTanh, .geluQuick = geluQuick, .silu = silu};
}

}  // namespace meshreel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshreel {

std::span<const ActivationKernels> availableActivationKernels() {
    static const std::array<ActivationKernels, 2> all{N_AVX3::activationKernelsNamed("avx512"),
                                                      N_AVX2::activationKernelsNamed("avx2")};
    return whyRejected(rowKernelCandidates().front()).empty() ? std::span(all) : std::span(all).subspan(1);
}

}  // namespace meshreel
#endif
