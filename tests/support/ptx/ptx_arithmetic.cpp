// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace meshreel::testing {
namespace {

float floatOf(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::uint64_t bitsOf(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

float flushed(float value) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

/// Rounds to the nearest bf16, ties to even; every NaN becomes the same one.
std::uint32_t narrowed(float value) {
    if (std::isnan(value))
        return 0x7fff;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
}

[[gnu::always_inline]] inline float computeFloat(PtxOperation operation, float a, float b, float c) {
    switch (operation) {
        case PtxOperation::Add:
            return a + b;
        case PtxOperation::Subtract:
            return a - b;
        case PtxOperation::Multiply:
            return a * b;
        case PtxOperation::MultiplyAdd:
            return std::fma(a, b, c);
        case PtxOperation::Maximum:
            return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
        case PtxOperation::Negate:
            return -a;
        case PtxOperation::Absolute:
            return std::fabs(a);
        case PtxOperation::PowerOfTwo:
            return flushed(std::exp2(flushed(a)));
        case PtxOperation::Reciprocal:
            return flushed(1.0F / flushed(a));
        default:
            throw std::logic_error("no float operation");
    }
}

[[gnu::always_inline]] inline std::uint64_t computeWord(PtxOperation operation, std::uint64_t a,
                                                        std::uint64_t b, std::uint64_t c) {
    switch (operation) {
        case PtxOperation::Move:
            return a;
        case PtxOperation::Add:
            return a + b;
        case PtxOperation::Subtract:
            return a - b;
        case PtxOperation::Multiply:
        case PtxOperation::MultiplyWide:
            return a * b;
        case PtxOperation::MultiplyAdd:
        case PtxOperation::MultiplyAddWide:
            return a * b + c;
        case PtxOperation::Divide:
            return b == 0 ? ~0ULL : a / b;
        case PtxOperation::Remainder:
            return b == 0 ? a : a % b;
        case PtxOperation::Minimum:
            return std::min(a, b);
        case PtxOperation::And:
            return a & b;
        case PtxOperation::Or:
            return a | b;
        case PtxOperation::Xor:
            return a ^ b;
        case PtxOperation::ShiftLeft:
            return b > 31 ? 0 : a << b;
        case PtxOperation::ShiftRight:
            return b > 31 ? 0 : a >> b;
        default:
            throw std::logic_error("no operation of integers");
    }
}

[[gnu::always_inline]] inline bool compareValues(PtxOperation operation, bool isFloat, std::uint64_t a,
                                                 std::uint64_t b) {
    switch (operation) {
        case PtxOperation::SetIfEqual:
            return isFloat ? floatOf(a) == floatOf(b) : a == b;
        case PtxOperation::SetIfNotEqual:
            return a != b;
        case PtxOperation::SetIfLess:
            return a < b;
        case PtxOperation::SetIfNotLess:
            return a >= b;
        default:
            return isFloat ? floatOf(a) > floatOf(b) : a > b;
    }
}

[[gnu::always_inline]] inline std::uint64_t computeLane(PtxOperation operation, bool isFloat, std::uint64_t a,
                                                        std::uint64_t b, std::uint64_t c) {
    switch (operation) {
        case PtxOperation::SetIfEqual:
        case PtxOperation::SetIfNotEqual:
        case PtxOperation::SetIfLess:
        case PtxOperation::SetIfNotLess:
        case PtxOperation::SetIfGreater:
            return compareValues(operation, isFloat, a, b) ? 1 : 0;
        case PtxOperation::Select:
            return c != 0 ? a : b;
        case PtxOperation::NarrowPair:
            return narrowed(floatOf(a)) << 16U | narrowed(floatOf(b));
        case PtxOperation::FloatOfInteger:
            return bitsOf(static_cast<float>(static_cast<std::int32_t>(a)));
        default:
            break;
    }
    if (isFloat && operation != PtxOperation::Move)
        return bitsOf(computeFloat(operation, floatOf(a), floatOf(b), floatOf(c)));
    return computeWord(operation, a, b, c);
}

/// With an operation that compilers know, so that nothing is chosen in the loop.
template <PtxOperation operation, bool isFloat>
void computeLanes(const std::array<const PtxLaneValues*, 4>& in, std::uint64_t kept, PtxLaneValues& out) {
    const PtxLaneValues& a = *in[0];
    const PtxLaneValues& b = *in[1];
    const PtxLaneValues& c = *in[2];
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        out[lane] = computeLane(operation, isFloat, a[lane], b[lane], c[lane]) & kept;
}

template <bool isFloat, PtxOperation... operations>
bool computeOneOf(PtxOperation operation, const std::array<const PtxLaneValues*, 4>& in, std::uint64_t kept,
                  PtxLaneValues& out) {
    return ((operation == operations ? (computeLanes<operations, isFloat>(in, kept, out), true) : false) ||
            ...);
}

}  // namespace

void computePtx(const PtxForm& form, const std::array<const PtxLaneValues*, 4>& in, PtxLaneValues& out) {
    using enum PtxOperation;
    const std::uint64_t kept = ptxTypeBytes(form.slots.front().type) == 4 ? 0xffffffffULL : ~0ULL;
    const bool isKnown =
        form.type == PtxType::F32
            ? computeOneOf<true, Move, Add, Subtract, Multiply, MultiplyAdd, Maximum, Negate, Absolute,
                           PowerOfTwo, Reciprocal, SetIfEqual, SetIfNotEqual, SetIfLess, SetIfNotLess,
                           SetIfGreater, Select, NarrowPair, FloatOfInteger>(form.operation, in, kept, out)
            : computeOneOf<false, Move, Add, Subtract, Multiply, MultiplyAdd, MultiplyWide, MultiplyAddWide,
                           Divide, Remainder, Minimum, And, Or, Xor, ShiftLeft, ShiftRight, SetIfEqual,
                           SetIfNotEqual, SetIfLess, SetIfNotLess, SetIfGreater, Select, NarrowPair,
                           FloatOfInteger>(form.operation, in, kept, out);
    if (!isKnown)
        throw std::logic_error("no operation of registers alone");
}

}  // namespace meshreel::testing
