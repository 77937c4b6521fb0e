// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/norms.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/rows/lanes.h"
#include "engine/kernels/rows/row_kernels.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

namespace {

constexpr std::size_t doubleLanes = 8;

double sumOf(std::span<const float> row) {
    return foldLanes<doubleLanes>(
        row, 0.0, [](float value) { return static_cast<double>(value); }, std::plus<>());
}

double squaresAround(std::span<const float> row, double centre) {
    const auto square = [centre](float value) {
        const double distance = static_cast<double>(value) - centre;
        return distance * distance;
    };
    return foldLanes<doubleLanes>(row, 0.0, square, std::plus<>());
}

void requireRows(std::span<const float> x, std::int64_t width, std::span<const float> gamma,
                 std::span<float> y) {
    const auto columns = static_cast<std::size_t>(width);
    if (width < 1 || x.size() % columns != 0 || y.size() != x.size() ||
        (!gamma.empty() && gamma.size() != columns))
        throw Error(ErrorKind::Internal,
                    fmt::format("A norm over {} got {} inputs, {} outputs and {} weights", width, x.size(),
                                y.size(), gamma.size()));
}

// The workers share the rows: body(row of x, row of y).
template <typename Body>
void forEachRow(const Execution& execution, std::span<const float> x, std::int64_t width, std::span<float> y,
                const Body& body) {
    const auto columns = static_cast<std::size_t>(width);
    execution.workers.parallelFor(
        static_cast<std::int64_t>(x.size()) / width, [&](std::int64_t begin, std::int64_t end) {
            for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
                body(x.subspan(row * columns, columns), y.subspan(row * columns, columns));
        });
}

void requireSameRows(const MatrixView& x, const MatrixView& y) {
    if (y.rows() != x.rows() || y.width() != x.width())
        throw Error(ErrorKind::Internal, fmt::format("A norm of {} rows of {} got {} rows of {}", x.rows(),
                                                     x.width(), y.rows(), y.width()));
}

void requireWeights(const MatrixView& x, std::int64_t count) {
    if (count != x.width())
        throw Error(ErrorKind::Internal, fmt::format("A norm over {} got {} weights", x.width(), count));
}

void requireWeights(const MatrixView& x, const MatrixView& weights) {
    requireWeights(x, weights.dtype() == DType::F32 && weights.rows() == 1 ? weights.width() : 0);
}

}  // namespace

void layerNorm(const Execution& execution, std::span<const float> x, std::int64_t width, double epsilon,
               std::span<const float> gamma, std::span<const float> beta, std::span<float> y) {
    requireRows(x, width, gamma, y);
    if (beta.size() != gamma.size())
        throw Error(ErrorKind::Internal, "A layer norm needs both gamma and beta or neither");
    forEachRow(execution, x, width, y, [&](std::span<const float> from, std::span<float> to) {
        const auto count = static_cast<double>(width);
        const double mean = sumOf(from) / count;
        const auto inverse = static_cast<float>(1.0 / std::sqrt(squaresAround(from, mean) / count + epsilon));
        const auto centre = static_cast<float>(mean);
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i] = (from[i] - centre) * inverse;
        if (gamma.empty())
            return;
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = to[i] * gamma[i] + beta[i];
    });
}

namespace {

void layerNorm(const OnHost& on, const MatrixView& x, double epsilon, std::span<const float> gamma,
               std::span<const float> beta, const MatrixSpan& y) {
    if (y.dtype() == DType::F32) {
        meshreel::layerNorm(on.execution, x.numbers(), x.width(), epsilon, gamma, beta, y.numbers());
        return;
    }
    const auto width = static_cast<std::size_t>(x.width());
    const RowKernels& kernels = rowKernels();
    on.execution.workers.parallelFor(x.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            kernels.layerNorm(x.row<float>(row).data(), width, static_cast<float>(epsilon), gamma.data(),
                              beta.data(), y.row<BFloat16>(row).data());
    });
}

void layerNorm(const OnHost& on, const MatrixView& x, double epsilon, const NormWeights& weights,
               const MatrixSpan& y) {
    layerNorm(on, x, epsilon, weights.gamma.numbers(), weights.beta.numbers(), y);
}

}  // namespace

void layerNorm(const Execution& execution, const MatrixView& x, double epsilon, const NormWeights& weights,
               const MatrixSpan& y) {
    requireSameRows(x, y);
    requireWeights(x, weights.gamma);
    requireWeights(x, weights.beta);
    dispatch(execution, {x, y, weights.gamma, weights.beta},
             [&](const auto& on) { layerNorm(on, x, epsilon, weights, y); });
}

void layerNorm(const Execution& execution, const MatrixView& x, double epsilon, const MatrixSpan& y) {
    requireSameRows(x, y);
    dispatch(execution, {x, y}, [&](const auto& on) { layerNorm(on, x, epsilon, {}, {}, y); });
}

void modulatedNorm(const Execution& execution, const MatrixView& x, double epsilon,
                   std::span<const float> scale, std::span<const float> shift, const MatrixSpan& y) {
    requireSameRows(x, y);
    requireWeights(x, std::ssize(scale));
    requireWeights(x, std::ssize(shift));
    dispatch(execution, {x, y}, [&](const auto& on) { layerNorm(on, x, epsilon, scale, shift, y); });
}

void rmsNorm(const Execution& execution, std::span<const float> x, std::int64_t width, double epsilon,
             std::span<const float> gamma, std::span<float> y) {
    requireRows(x, width, gamma, y);
    forEachRow(execution, x, width, y, [&](std::span<const float> from, std::span<float> to) {
        const double meanSquare = squaresAround(from, 0.0) / static_cast<double>(width);
        const auto inverse = static_cast<float>(1.0 / std::sqrt(meanSquare + epsilon));
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i] = from[i] * inverse * gamma[i];
    });
}

namespace {

void rmsNorm(const OnHost& on, const MatrixView& x, double epsilon, const MatrixView& gamma,
             const MatrixSpan& y) {
    meshreel::rmsNorm(on.execution, x.numbers(), x.width(), epsilon, gamma.numbers(), y.numbers());
}

}  // namespace

void rmsNorm(const Execution& execution, const MatrixView& x, double epsilon, const MatrixView& gamma,
             const MatrixSpan& y) {
    requireSameRows(x, y);
    requireWeights(x, gamma);
    dispatch(execution, {x, y, gamma}, [&](const auto& on) { rmsNorm(on, x, epsilon, gamma, y); });
}

void rowSquares(const Execution& execution, std::span<const float> x, std::int64_t width,
                std::span<float> sums) {
    const auto columns = static_cast<std::size_t>(width);
    if (width < 1 || x.size() != sums.size() * columns)
        throw Error(ErrorKind::Internal, fmt::format("Squares of rows of {} got {} inputs and {} sums", width,
                                                     x.size(), sums.size()));
    execution.workers.parallelFor(
        static_cast<std::int64_t>(sums.size()), [&](std::int64_t begin, std::int64_t end) {
            for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
                sums[row] = static_cast<float>(squaresAround(x.subspan(row * columns, columns), 0.0));
        });
}

void rmsNormBySquares(const Execution& execution, std::span<const float> x, std::int64_t width,
                      std::span<const float> sums, std::int64_t fullWidth, double epsilon,
                      std::span<const float> gamma, std::span<float> y) {
    requireRows(x, width, gamma, y);
    const auto columns = static_cast<std::size_t>(width);
    if (x.size() != sums.size() * columns || gamma.size() != columns)
        throw Error(ErrorKind::Internal, fmt::format("A norm over {} got {} inputs, {} sums and {} weights",
                                                     width, x.size(), sums.size(), gamma.size()));
    execution.workers.parallelFor(
        static_cast<std::int64_t>(sums.size()), [&](std::int64_t begin, std::int64_t end) {
            for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
                const double meanSquare = static_cast<double>(sums[row]) / static_cast<double>(fullWidth);
                const auto inverse = static_cast<float>(1.0 / std::sqrt(meanSquare + epsilon));
                for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
                    y[i] = x[i] * inverse * gamma[i - row * columns];
            }
        });
}

}  // namespace meshreel
