// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <utility>

#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/rows/row_kernels.h"

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

void activate(const Execution& execution, Activation& activation, const MatrixSpan& values) {
    if (values.isOnHost())
        return activate(execution, activation, values.numbers());
    constexpr std::array<std::pair<Activation*, GeluForm>, 3> forms{
        {{&geluTanh, GeluForm::Tanh}, {&geluErf, GeluForm::Erf}, {&geluQuick, GeluForm::Quick}}};
    const auto* const form = std::ranges::find(forms, &activation, &std::pair<Activation*, GeluForm>::first);
    if (form == forms.end())
        throw Error(ErrorKind::Internal, "a GPU has no kernel for this activation alone");
    GpuWork& gpu = requireGpu(execution, {values});
    applyGelu(gpu.pipelines(), gpu.stream(), gpuMatrix(values), form->second);
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

void addRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    if (!into.isOnHost()) {
        GpuWork& gpu = requireGpu(execution, {into, values});
        return addRows(gpu.pipelines(), gpu.stream(), gpuMatrix(into), gpuMatrix(values));
    }
    execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
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

void subtractFrom(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    if (!into.isOnHost()) {
        GpuWork& gpu = requireGpu(execution, {into, values});
        return subtractFrom(gpu.pipelines(), gpu.stream(), gpuMatrix(into), gpuMatrix(values));
    }
    execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            std::ranges::transform(values.row<float>(row), into.row<float>(row), into.row<float>(row).begin(),
                                   std::minus<>());
    });
}

void multiplyInPlace(const Execution& execution, std::span<float> into, std::span<const float> values) {
    requireEqualSizes(into, values);
    execution.workers.parallelFor(
        static_cast<std::int64_t>(into.size()), [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                into[i] *= values[i];
        });
}

void multiplyRows(const Execution& execution, const MatrixSpan& into, const MatrixView& values) {
    requireRowsAlike(into, values);
    if (!into.isOnHost()) {
        GpuWork& gpu = requireGpu(execution, {into, values});
        return multiplyRows(gpu.pipelines(), gpu.stream(), gpuMatrix(into), gpuMatrix(values));
    }
    multiplyInPlace(execution, into.numbers(), values.numbers());
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

void addGated(const Execution& execution, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate) {
    requireRowsAlike(into, values);
    if (std::ssize(gate) != into.width())
        throw Error(ErrorKind::Internal,
                    fmt::format("A gate of {} values on rows of {}", gate.size(), into.width()));
    if (!into.isOnHost()) {
        GpuWork& gpu = requireGpu(execution, {into, values});
        const GpuVector factors(gpu, gate);
        return addGated(gpu.pipelines(), gpu.stream(), gpuMatrix(into), gpuMatrix(values), factors.address());
    }
    execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::span<float> to = into.row<float>(row);
            const std::span<const float> from = values.row<float>(row);
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] += from[i] * gate[i];
        }
    });
}

}  // namespace meshreel
