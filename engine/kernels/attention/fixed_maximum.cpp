// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/fixed_maximum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/kernels/rows/lanes.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

namespace {

// In log2 units. The largest weight of a query must be a normal f32: 126 powers of two below 1, less one
// because the bound is rounded up.
constexpr double roomBelowOne = 125.0;

// Powers of two that values may have.
constexpr double roomForValues = 8.0;

constexpr double largestExponent = 127.0;

// ‖row - offset‖. `buffer` is as long as a row.
float norm(const HeadRows& rows, std::int64_t index, std::span<const float> offset, std::span<float> buffer) {
    std::span<const float> row = buffer;
    if (rows.type() == DType::F32 && offset.empty())
        row = {rows.floats().row(index), buffer.size()};
    else
        rows.read(index, buffer);
    if (!offset.empty())
        std::transform(buffer.begin(), buffer.end(), offset.begin(), buffer.begin(), std::minus<>());
    return std::sqrt(foldLanes<floatLanes>(
        row, 0.0F, [](float value) { return value * value; }, std::plus<>()));
}

bool kept(const std::uint8_t* keyMask, std::int64_t index) {
    return keyMask == nullptr || keyMask[index] != 0;
}

}  // namespace

void findKeptMean(const HeadRows& keys, std::int64_t count, const std::uint8_t* keyMask,
                  std::span<float> mean) {
    ScratchVector<double> sums(mean.size());
    std::int64_t rows = 0;
    for (std::int64_t index = 0; index < count; ++index) {
        if (!kept(keyMask, index))
            continue;
        keys.read(index, mean);
        std::transform(sums.begin(), sums.end(), mean.begin(), sums.begin(), std::plus<>());
        ++rows;
    }
    const double share = 1.0 / static_cast<double>(std::max<std::int64_t>(1, rows));
    std::transform(sums.begin(), sums.end(), mean.begin(),
                   [share](double sum) { return static_cast<float>(sum * share); });
}

double largestNorm(const HeadRows& rows, std::int64_t count, std::int64_t headDim,
                   const std::uint8_t* keyMask, std::span<const float> offset) {
    ScratchVector<float> buffer(static_cast<std::size_t>(headDim));
    double largest = 0.0;
    for (std::int64_t index = 0; index < count; ++index) {
        if (!kept(keyMask, index))
            continue;
        const auto rowNorm = static_cast<double>(norm(rows, index, offset, buffer));
        if (std::isnan(rowNorm))
            return rowNorm;
        largest = std::max(largest, rowNorm);
    }
    return largest;
}

FixedMaximum smoothedFixedMaximum(const HeadRows& keys, std::int64_t count, const std::uint8_t* keyMask,
                                  std::span<float> mean) {
    findKeptMean(keys, count, keyMask, mean);
    return {.keyNorm = largestNorm(keys, count, std::ssize(mean), keyMask, mean), .keyMean = mean};
}

double fixedHeadroom(std::int64_t keys) {
    return largestExponent - std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(1, keys)))) -
           roomForValues;
}

bool fixedMaximumEligible(double queryNorm, double scale, double keyNorm, std::int64_t keys) {
    return queryNorm * std::abs(scale) * std::numbers::log2e * keyNorm <= fixedHeadroom(keys) + roomBelowOne;
}

}  // namespace meshreel
