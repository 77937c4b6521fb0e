// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once for each instruction set between the project's floor, x86-64-v3, which Highway would take for
// less because it has no AES, and AVX-512.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_BASELINE_TARGETS HWY_AVX2
#define HWY_DISABLED_TARGETS HWY_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/rows/row_kernels.cpp"

#include "engine/kernels/rows/row_kernels.h"

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/kernels/dispatch/cpu_features.h"

HWY_BEFORE_NAMESPACE();
namespace meshreel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::ScalableTag<std::uint32_t>;  // a pair of bf16 each: the first in the lower half
using Halves = hn::Rebind<std::uint16_t, Floats>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;

/// All lanes of a vector.
struct Whole {
    template <typename Tag>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, const hn::TFromD<Tag>* from) const {
        return hn::LoadU(tag, from);
    }
    template <typename Tag>
    HWY_INLINE void store(hn::Vec<Tag> values, Tag tag, hn::TFromD<Tag>* to) const {
        hn::StoreU(values, tag, to);
    }
};

/// The first `count` lanes; what is loaded into the others is 0.
struct First {
    std::size_t count;

    template <typename Tag>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, const hn::TFromD<Tag>* from) const {
        return hn::MaskedLoad(hn::FirstN(tag, count), tag, from);
    }
    template <typename Tag>
    HWY_INLINE void store(hn::Vec<Tag> values, Tag tag, hn::TFromD<Tag>* to) const {
        hn::BlendedStore(values, hn::FirstN(tag, count), tag, to);
    }
};

/// body(first element, lanes) for all of `count` elements.
template <typename Body>
HWY_INLINE void forEachVector(std::size_t count, const Body& body) {
    const std::size_t lanes = hn::Lanes(Floats());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        body(i, Whole());
    if (i < count)
        body(i, First{count - i});
}

/// The bits of f32 values rounded to bf16, in the upper halves; the lower ones are left over. NaN is made
/// quiet rather than rounded up to infinity.
HWY_INLINE WordVector roundedBits(FloatVector values) {
    const Words words;
    const WordVector bits = hn::BitCast(words, values);
    const WordVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const WordVector rounded = hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF)));
    const WordVector quiet = hn::Or(bits, hn::Set(words, 0x400000));
    return hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(values)), quiet, rounded);
}

HWY_INLINE FloatVector evenLanes(WordVector pairs) {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(pairs));
}

HWY_INLINE FloatVector oddLanes(WordVector pairs) {
    return hn::BitCast(Floats(), hn::And(pairs, hn::Set(Words(), 0xFFFF0000U)));
}

HWY_INLINE WordVector pairsOf(FloatVector even, FloatVector odd) {
    return hn::Or(hn::ShiftRight<16>(roundedBits(even)),
                  hn::And(roundedBits(odd), hn::Set(Words(), 0xFFFF0000U)));
}

/// Σ term(i, lanes) in four chains of vectors.
template <typename Term>
HWY_INLINE float sumOf(std::size_t count, const Term& term) {
    const Floats floats;
    const std::size_t lanes = hn::Lanes(floats);
    FloatVector first = hn::Zero(floats);
    FloatVector second = first;
    FloatVector third = first;
    FloatVector fourth = first;
    std::size_t i = 0;
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
        first = hn::Add(first, term(i, Whole()));
        second = hn::Add(second, term(i + lanes, Whole()));
        third = hn::Add(third, term(i + 2 * lanes, Whole()));
        fourth = hn::Add(fourth, term(i + 3 * lanes, Whole()));
    }
    for (; i < count; i += lanes)
        first =
            i + lanes <= count ? hn::Add(first, term(i, Whole())) : hn::Add(first, term(i, First{count - i}));
    const FloatVector sum = hn::Add(hn::Add(first, second), hn::Add(third, fourth));
    return hn::GetLane(hn::SumOfLanes(floats, sum));
}

void layerNorm(const float* x, std::size_t width, float epsilon, const float* gamma, const float* beta,
               BFloat16* y) {
    const Floats floats;
    const Halves halves;
    const auto count = static_cast<float>(width);
    const float mean =
        sumOf(width, [&](std::size_t i, auto lanes) { return lanes.load(floats, x + i); }) / count;
    const FloatVector centre = hn::Set(floats, mean);
    // Lanes beyond the row count as at its mean.
    const float squares = sumOf(width, [&](std::size_t i, auto lanes) {
        const FloatVector distance = hn::Sub(lanes.load(floats, x + i), centre);
        if constexpr (std::is_same_v<decltype(lanes), First>) {
            const FloatVector own = hn::IfThenElseZero(hn::FirstN(floats, lanes.count), distance);
            return hn::Mul(own, own);
        } else {
            return hn::Mul(distance, distance);
        }
    });
    const FloatVector inverse = hn::Set(floats, 1.0F / std::sqrt(squares / count + epsilon));
    auto* to = reinterpret_cast<std::uint16_t*>(y);
    forEachVector(width, [&](std::size_t i, auto lanes) {
        const FloatVector normed = hn::Mul(hn::Sub(lanes.load(floats, x + i), centre), inverse);
        const FloatVector result = gamma == nullptr ? normed
                                                    : hn::MulAdd(normed, lanes.load(floats, gamma + i),
                                                                 lanes.load(floats, beta + i));
        lanes.store(hn::TruncateTo(halves, hn::ShiftRight<16>(roundedBits(result))), halves, to + i);
    });
}

float squares(const BFloat16* x, std::size_t pairs) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(x);
    return sumOf(pairs, [&](std::size_t i, auto lanes) {
        const WordVector pair = lanes.load(Words(), words + i);
        const FloatVector even = evenLanes(pair);
        const FloatVector odd = oddLanes(pair);
        return hn::MulAdd(even, even, hn::Mul(odd, odd));
    });
}

template <bool scaled, bool rotated>
void scaleAndRotateAs(BFloat16* x, std::size_t heads, std::size_t pairs, float factor, PairWeights gamma,
                      PairRotation rotation) {
    const Floats floats;
    const FloatVector factors = hn::Set(floats, factor);
    for (std::size_t head = 0; head < heads; ++head) {
        auto* words = reinterpret_cast<std::uint32_t*>(x) + head * pairs;
        const std::size_t first = head * pairs;
        forEachVector(pairs, [&](std::size_t i, auto lanes) {
            const WordVector pair = lanes.load(Words(), words + i);
            FloatVector even = evenLanes(pair);
            FloatVector odd = oddLanes(pair);
            if constexpr (scaled) {
                even = hn::Mul(hn::Mul(even, factors), lanes.load(floats, gamma.even + first + i));
                odd = hn::Mul(hn::Mul(odd, factors), lanes.load(floats, gamma.odd + first + i));
            }
            if constexpr (rotated) {
                const FloatVector cos = lanes.load(floats, rotation.cos + i);
                const FloatVector sin = lanes.load(floats, rotation.sin + i);
                const FloatVector turned = hn::NegMulAdd(odd, sin, hn::Mul(even, cos));
                odd = hn::MulAdd(odd, cos, hn::Mul(even, sin));
                even = turned;
            }
            lanes.store(pairsOf(even, odd), Words(), words + i);
        });
    }
}

void scaleAndRotate(BFloat16* x, std::size_t heads, std::size_t pairs, float factor, PairWeights gamma,
                    PairRotation rotation) {
    const bool scaled = gamma.even != nullptr;
    const bool rotated = rotation.cos != nullptr;
    if (scaled && rotated)
        scaleAndRotateAs<true, true>(x, heads, pairs, factor, gamma, rotation);
    else if (scaled)
        scaleAndRotateAs<true, false>(x, heads, pairs, factor, gamma, rotation);
    else if (rotated)
        scaleAndRotateAs<false, true>(x, heads, pairs, factor, gamma, rotation);
}

using Integers = hn::ScalableTag<std::int32_t>;
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

// Both are seen by the choice below from another pass over this file.
RowKernels rowKernelsNamed(std::string_view isa) {
    return {.isa = isa, .layerNorm = layerNorm, .squares = squares, .scaleAndRotate = scaleAndRotate};
}

ActivationKernels activationKernelsNamed(std::string_view isa) {
    return {.isa = isa, .geluTanh = geluTanh, .geluQuick = geluQuick, .silu = silu};
}

}  // namespace meshreel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshreel {

std::span<const KernelCandidate> rowKernelCandidates() {
    using Cpu = CpuFeatures;
    static const std::array<KernelCandidate, 2> candidates{
        KernelCandidate{.name = "own AVX-512",
                        .needs = {&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
        KernelCandidate{.name = "own AVX2", .needs = {&Cpu::avx2, &Cpu::fma}}};
    return candidates;
}

std::span<const RowKernels> availableRowKernels() {
    static const std::array<RowKernels, 2> all{N_AVX3::rowKernelsNamed("avx512"),
                                               N_AVX2::rowKernelsNamed("avx2")};
    return whyRejected(rowKernelCandidates().front()).empty() ? std::span(all) : std::span(all).subspan(1);
}

std::span<const ActivationKernels> availableActivationKernels() {
    static const std::array<ActivationKernels, 2> all{N_AVX3::activationKernelsNamed("avx512"),
                                                      N_AVX2::activationKernelsNamed("avx2")};
    return whyRejected(rowKernelCandidates().front()).empty() ? std::span(all) : std::span(all).subspan(1);
}

}  // namespace meshreel
#endif
