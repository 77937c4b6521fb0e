// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

float computeFloat(PtxOperation operation, float a, float b, float c) {
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

std::uint64_t computeWord(PtxOperation operation, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
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

bool compareValues(PtxOperation operation, PtxType type, std::uint64_t a, std::uint64_t b) {
    const bool isFloat = type == PtxType::F32;
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

}  // namespace

std::uint64_t computePtx(const PtxForm& form, const std::array<std::uint64_t, 4>& in) {
    switch (form.operation) {
        case PtxOperation::SetIfEqual:
        case PtxOperation::SetIfNotEqual:
        case PtxOperation::SetIfLess:
        case PtxOperation::SetIfNotLess:
        case PtxOperation::SetIfGreater:
            return compareValues(form.operation, form.type, in[0], in[1]) ? 1 : 0;
        case PtxOperation::Select:
            return in[2] != 0 ? in[0] : in[1];
        case PtxOperation::NarrowPair:
            return narrowed(floatOf(in[0])) << 16U | narrowed(floatOf(in[1]));
        case PtxOperation::FloatOfInteger:
            return bitsOf(static_cast<float>(static_cast<std::int32_t>(in[0])));
        default:
            break;
    }
    if (form.type == PtxType::F32 && form.operation != PtxOperation::Move)
        return bitsOf(computeFloat(form.operation, floatOf(in[0]), floatOf(in[1]), floatOf(in[2])));
    const std::uint64_t result = computeWord(form.operation, in[0], in[1], in[2]);
    return ptxTypeBytes(form.slots.front().type) == 4 ? result & 0xffffffffULL : result;
}

}  // namespace meshreel::testing
