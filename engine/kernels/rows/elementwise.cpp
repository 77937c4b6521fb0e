// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/rows/row_kernels.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

void geluTanh(std::span<float> values) {
    activationKernels().geluTanh(values);
}

void geluErf(std::span<float> values) {
    constexpr auto sqrtHalf = static_cast<float>(1.0 / std::numbers::sqrt2);
    for (float& value : values)
        value = 0.5F * value * (1.0F + std::erf(value * sqrtHalf));
}

void geluQuick(std::span<float> values) {
    activationKernels().geluQuick(values);
}

void silu(std::span<float> values) {
    activationKernels().silu(values);
}

void activate(const Execution& execution, Activation& activation, std::span<float> values) {
    execution.workers.parallelFor(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin,
                                                                                std::int64_t end) {
        activation(values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
}

namespace {

void activate(const OnHost& on, Activation& activation, const MatrixSpan& values) {
    meshreel::activate(on.execution, activation, values.numbers());
}

}  // namespace

void activate(const Execution& execution, Activation& activation, const MatrixSpan& values) {
    dispatch(execution, {values}, [&](const auto& on) { activate(on, activation, values); });
}

namespace {

void requireEqualSizes(std::span<float> into, std::span<const float> values) {
    if (into.size() != values.size())
        throw Error(ErrorKind::Internal,
                    fmt::format("Element-wise work on {} and {} values", into.size(), values.size()));
}

void requireRowsAlike(const MatrixSpan& into, const MatrixView& values) {
    if (into.rows() != values.rows() || into.width() != values.width() || into.dtype() != values.dtype())
        throw Error(ErrorKind::Internal,
                    fmt::format("{} rows of {} were added to {} rows of {}", values.rows(), values.width(),
                                into.rows(), into.width()));
}

}  // namespace

void addInPlace(const Execution& execution, std::span<float> into, std::span<const float> values) {
    requireEqualSizes(into, values);
    execution.workers.parallelFor(
        static_cast<std::int64_t>(into.size()), [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                into[i] += values[i];
        });
}

namespace {

void addRows(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            if (into.dtype() == DType::F32)
                std::ranges::transform(into.row<float>(row), values.row<float>(row),
                                       into.row<float>(row).begin(), std::plus<>());
            else
                std::ranges::transform(
                    into.row<BFloat16>(row), values.row<BFloat16>(row), into.row<BFloat16>(row).begin(),
                    [](BFloat16 a, BFloat16 b) { return toBFloat16(toFloat(a) + toFloat(b)); });
    });
}

void subtractFrom(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            std::ranges::transform(values.row<float>(row), into.row<float>(row), into.row<float>(row).begin(),
                                   std::minus<>());
    });
}

}  // namespace

void addRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { addRows(on, into, values); });
}

void subtractFrom(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { subtractFrom(on, into, values); });
}

void multiplyInPlace(const Execution& execution, std::span<float> into, std::span<const float> values) {
    requireEqualSizes(into, values);
    execution.workers.parallelFor(
        static_cast<std::int64_t>(into.size()), [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                into[i] *= values[i];
        });
}

namespace {

void multiplyRows(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    multiplyInPlace(on.execution, into.numbers(), values.numbers());
}

}  // namespace

void multiplyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { multiplyRows(on, into, values); });
}

void addGated(const Execution& execution, std::span<float> into, std::span<const float> values,
              std::span<const float> gate) {
    requireEqualSizes(into, values);
    const std::size_t width = gate.size();
    if (width == 0 || into.size() % width != 0)
        throw Error(ErrorKind::Internal, fmt::format("A gate of {} values on {}", width, into.size()));
    execution.workers.parallelFor(
        static_cast<std::int64_t>(into.size() / width), [&](std::int64_t begin, std::int64_t end) {
            for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
                for (std::size_t i = 0; i < width; ++i)
                    into[row * width + i] += values[row * width + i] * gate[i];
        });
}

namespace {

void addGated(const OnHost& on, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::span<float> to = into.row<float>(row);
            const std::span<const float> from = values.row<float>(row);
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] += from[i] * gate[i];
        }
    });
}

}  // namespace

void addGated(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate) {
    requireRowsAlike(into, values);
    if (std::ssize(gate) != into.width())
        throw Error(ErrorKind::Internal,
                    fmt::format("A gate of {} values on rows of {}", gate.size(), into.width()));
    dispatch(execution, {into, values}, [&](const auto& on) { addGated(on, into, values, gate); });
}

namespace {

void requireOneSize(const MatrixView& into, const MatrixView& values) {
    if (into.rows() != values.rows() || into.width() != values.width())
        throw Error(ErrorKind::Internal,
                    fmt::format("Element-wise work on {} rows of {} and {} rows of {}", into.rows(),
                                into.width(), values.rows(), values.width()));
}

/// Calls change(values, others) for every row of `into`, as f32, and rounds what becomes of the values to the
/// type of `into`. `others`: the same row of `other`.
template <typename Change>
void changeRows(const OnHost& on, const MatrixSpan& into, const MatrixView& other, const Change& change) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> values(static_cast<std::size_t>(into.width()));
        ScratchVector<float> others(values.size());
        for (std::int64_t row = begin; row < end; ++row) {
            MatrixView(into).readRow(row, values);
            other.readRow(row, others);
            change(std::span(values), std::span<const float>(others));
            into.writeRow(row, values);
        }
    });
}

void rectify(const OnHost& on, const MatrixSpan& into) {
    changeRows(on, into, into, [](std::span<float> values, std::span<const float>) {
        for (float& value : values)
            value = std::max(value, 0.0F);
    });
}

void addAndRectify(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    changeRows(on, into, values, [](std::span<float> own, std::span<const float> others) {
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = std::max(own[i] + others[i], 0.0F);
    });
}

void boundTo3(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    constexpr float bound = 3.0F;
    changeRows(on, into, values, [](std::span<float> own, std::span<const float> others) {
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = std::tanh(others[i] / bound) * bound;
    });
}

void centre(const OnHost& on, const MatrixSpan& into) {
    changeRows(on, into, into, [](std::span<float> values, std::span<const float>) {
        for (float& value : values)
            value = value * 2.0F - 1.0F;
    });
}

/// NaN stays NaN.
float leaky(float value, float slope) {
    return value < 0.0F ? slope * value : value;
}

void leakyRectify(const OnHost& on, const MatrixSpan& into, float slope) {
    changeRows(on, into, into, [slope](std::span<float> values, std::span<const float>) {
        for (float& value : values)
            value = leaky(value, slope);
    });
}

void addAndLeakyRectify(const OnHost& on, const MatrixSpan& into, const MatrixView& values, float slope) {
    changeRows(on, into, values, [slope](std::span<float> own, std::span<const float> others) {
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = leaky(own[i] + others[i], slope);
    });
}

void leakyRectify(const OnHost& on, const MatrixSpan& into, std::span<const float> slopes) {
    changeRows(on, into, into, [slopes](std::span<float> values, std::span<const float>) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = leaky(values[i], slopes[i]);
    });
}

void scaleAndAdd(const OnHost& on, const MatrixSpan& into, const MatrixView& values, float factor) {
    changeRows(on, into, values, [factor](std::span<float> own, std::span<const float> others) {
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = factor * own[i] + others[i];
    });
}

void copyRows(const OnHost& on, const MatrixSpan& into, const MatrixView& values) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> row(static_cast<std::size_t>(into.width()));
        for (std::int64_t index = begin; index < end; ++index) {
            values.readRow(index, row);
            into.writeRow(index, row);
        }
    });
}

}  // namespace

void rectify(const Execution& execution, const MatrixSpan& into) {
    dispatch(execution, {into}, [&](const auto& on) { rectify(on, into); });
}

void addAndRectify(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireOneSize(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { addAndRectify(on, into, values); });
}

void boundTo3(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireOneSize(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { boundTo3(on, into, values); });
}

void centre(const Execution& execution, const MatrixSpan& into) {
    dispatch(execution, {into}, [&](const auto& on) { centre(on, into); });
}

void leakyRectify(const Execution& execution, const MatrixSpan& into, float slope) {
    dispatch(execution, {into}, [&](const auto& on) { leakyRectify(on, into, slope); });
}

void addAndLeakyRectify(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
                        float slope) {
    requireOneSize(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { addAndLeakyRectify(on, into, values, slope); });
}

void leakyRectify(const Execution& execution, const MatrixSpan& into, std::span<const float> slopes) {
    if (std::ssize(slopes) != into.width())
        throw Error(ErrorKind::Internal,
                    fmt::format("{} slopes for rows of {}", slopes.size(), into.width()));
    dispatch(execution, {into}, [&](const auto& on) { leakyRectify(on, into, slopes); });
}

void scaleAndAdd(const Execution& execution, const MatrixSpan& into, const MatrixView& values, float factor) {
    requireOneSize(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { scaleAndAdd(on, into, values, factor); });
}

void copyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireOneSize(into, values);
    dispatch(execution, {into, values}, [&](const auto& on) { copyRows(on, into, values); });
}

}  // namespace meshreel
