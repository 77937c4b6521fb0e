// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/int8_rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace meshreel {

namespace {

constexpr float largestInt8 = 127.0F;
// Adding it leaves the nearest integer, ties to even, in the low bits.
constexpr float roundToInteger = 12582912.0F;  // only subnormals

// The largest magnitude by its bits, which order as the magnitudes do, infinities and NaNs last.
float largestMagnitude(std::span<const float> row) {
    constexpr std::uint32_t magnitude = 0x7fffffffU;
    std::uint32_t largest = 0;
    for (const float value : row)
        largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & magnitude);
    return std::bit_cast<float>(largest);
}

Tensor rowOf(const Tensor& weight, std::int64_t index) {
    return weight.slice(index, index + 1).toF32();
}

}  // namespace

std::span<const std::int8_t> Int8Weight::row(std::int64_t index) const {
    const std::int64_t in = values.extent(1);
    return {reinterpret_cast<const std::int8_t*>(values.raw()) + index * in, static_cast<std::size_t>(in)};
}

float roundToInt8(std::span<const float> row, std::span<std::int8_t> values) {
    const float largest = largestMagnitude(row);
    if (largest == 0.0F || !std::isfinite(largest)) {
        std::ranges::fill(values, std::int8_t{0});
        return largest == 0.0F ? 0.0F : std::numeric_limits<float>::quiet_NaN();
    }
    const float toSteps = largestInt8 / largest;
    if (!std::isfinite(toSteps)) {  // nothing but subnormals
        std::ranges::fill(values, std::int8_t{0});
        return 0.0F;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
        const float steps = row[i] * toSteps + roundToInteger;
        values[i] = static_cast<std::int8_t>(std::bit_cast<std::uint32_t>(steps) & 0xffU);
    }
    return largest / largestInt8;
}

Int8Weight roundToInt8(const Tensor& weight) {
    const std::int64_t out = weight.extent(0);
    const std::int64_t in = weight.extent(1);
    Int8Weight result{.values = Tensor::empty(weight.shape(), DType::U8), .scales = Tensor::empty({out})};
    auto* values = reinterpret_cast<std::int8_t*>(result.values.raw());
    for (std::int64_t index = 0; index < out; ++index)
        result.scales.data<float>()[static_cast<std::size_t>(index)] = roundToInt8(
            rowOf(weight, index).data<float>(), {values + index * in, static_cast<std::size_t>(in)});
    return result;
}

RoundingError roundingError(const Tensor& weight, const Int8Weight& rounded) {
    RoundingError error;
    double squares = 0.0;
    double errorSquares = 0.0;
    for (std::int64_t index = 0; index < weight.extent(0); ++index) {
        const Tensor row = rowOf(weight, index);
        const double scale =
            static_cast<double>(rounded.scales.data<float>()[static_cast<std::size_t>(index)]);
        const std::span<const std::int8_t> values = rounded.row(index);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto given = static_cast<double>(row.data<float>()[i]);
            const double difference = std::abs(given - scale * values[i]);
            error.maximum = std::max(error.maximum, difference);
            error.mean += difference;
            squares += given * given;
            errorSquares += difference * difference;
        }
    }
    error.mean /= static_cast<double>(std::max<std::int64_t>(1, weight.elements()));
    error.relative = squares > 0.0 ? std::sqrt(errorSquares / squares) : 0.0;
    return error;
}

}  // namespace meshreel
