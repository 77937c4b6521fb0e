// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/row_kernels.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

namespace {

constexpr double theta = 10000.0;

// position · theta^(-2 pair / components)
double angleAt(std::int64_t position, std::int64_t pair, std::int64_t components) {
    const double exponent = static_cast<double>(2 * pair) / static_cast<double>(components);
    return static_cast<double>(position) * (1.0 / std::pow(theta, exponent));
}

// How much further the tokens of a source turn, for each pair of the head dimension.
std::vector<double> sourceAngles(std::int64_t source, std::int64_t headDim) {
    std::vector<double> angles;
    for (std::int64_t pair = 0; pair < headDim / 2; ++pair)
        angles.push_back(angleAt(source, pair, headDim));
    return angles;
}

// cos and sin of position · theta^(-2j/components) and what each pair turns further, [positions, components /
// 2] each.
struct AxisAngles {
    AxisAngles(std::span<const std::int64_t> positions, std::int64_t components,
               std::span<const double> further)
        : pairs(components / 2) {
        for (const std::int64_t position : positions)
            for (std::int64_t pair = 0; pair < pairs; ++pair) {
                const double angle =
                    angleAt(position, pair, components) + further[static_cast<std::size_t>(pair)];
                cos.push_back(static_cast<float>(std::cos(angle)));
                sin.push_back(static_cast<float>(std::sin(angle)));
            }
    }

    // Copies the pairs of a position, by its index, to both places, which move on behind them.
    void appendTo(std::int64_t index, float*& cosPlace, float*& sinPlace) const {
        cosPlace = std::copy_n(cos.data() + index * pairs, pairs, cosPlace);
        sinPlace = std::copy_n(sin.data() + index * pairs, pairs, sinPlace);
    }

    std::int64_t pairs;
    std::vector<float> cos;
    std::vector<float> sin;
};

}  // namespace

TokenPlaces TokenPlaces::of(const TokenGrid& grid) {
    const auto counted = [](std::int64_t first, std::int64_t count) {
        std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
        std::iota(positions.begin(), positions.end(), first);
        return positions;
    };
    return {.frames = counted(grid.firstFrame, grid.frames),
            .rows = counted(0, grid.rows),
            .columns = counted(grid.firstColumn, grid.columns),
            .source = grid.source};
}

std::array<std::int64_t, 3> rotaryAxes(std::int64_t headDim) {
    if (headDim < 2 || headDim % 2 != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("Rotary embedding needs an even head dimension, not {}", headDim));
    const std::int64_t spatial = 2 * (headDim / 6);
    return {headDim - 2 * spatial, spatial, spatial};
}

RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim) {
    return rotaryTable(grid, headDim, 0, grid.tokens());
}

RotaryTable rotaryTable(const TokenGrid& grid, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken) {
    return rotaryTable(std::span(&grid, 1), headDim, firstToken, endToken);
}

RotaryTable rotaryTable(std::span<const TokenGrid> grids, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken) {
    std::vector<TokenPlaces> places;
    for (const TokenGrid& grid : grids)
        places.push_back(TokenPlaces::of(grid));
    return rotaryTable(places, headDim, firstToken, endToken);
}

RotaryTable rotaryTable(std::span<const TokenPlaces> places, std::int64_t headDim, std::int64_t firstToken,
                        std::int64_t endToken) {
    const auto [timeComponents, rowComponents, columnComponents] = rotaryAxes(headDim);
    const Shape shape{endToken - firstToken, headDim / 2};
    RotaryTable table{Tensor::empty(shape), Tensor::empty(shape)};
    float* cosPlace = table.cos.data<float>().data();
    float* sinPlace = table.sin.data<float>().data();
    std::int64_t before = 0;  // tokens of the places before
    for (const TokenPlaces& own : places) {
        const std::int64_t first = std::max(firstToken - before, std::int64_t{0});
        const std::int64_t end = std::min(endToken - before, own.tokens());
        before += own.tokens();
        if (first >= end)
            continue;
        const std::vector<double> further = sourceAngles(own.source, headDim);
        const auto ofPairs = [&](std::int64_t component, std::int64_t components) {
            return std::span(further).subspan(static_cast<std::size_t>(component / 2),
                                              static_cast<std::size_t>(components / 2));
        };
        const AxisAngles time(own.frames, timeComponents, ofPairs(0, timeComponents));
        const AxisAngles vertical(own.rows, rowComponents, ofPairs(timeComponents, rowComponents));
        const AxisAngles horizontal(own.columns, columnComponents,
                                    ofPairs(timeComponents + rowComponents, columnComponents));
        const std::int64_t rows = std::ssize(own.rows);
        const std::int64_t columns = std::ssize(own.columns);
        for (std::int64_t token = first; token < end; ++token) {
            time.appendTo(token / (rows * columns), cosPlace, sinPlace);
            vertical.appendTo(token / columns % rows, cosPlace, sinPlace);
            horizontal.appendTo(token % columns, cosPlace, sinPlace);
        }
    }
    return table;
}

void applyRotary(const Execution& execution, const RotaryTable& table, std::int64_t heads,
                 std::span<float> x) {
    const std::int64_t tokens = table.cos.extent(0);
    const std::int64_t pairs = table.cos.extent(1);
    const std::int64_t width = heads * pairs * 2;
    const auto cos = table.cos.data<float>();
    const auto sin = table.sin.data<float>();
    if (tokens == 0 && x.empty())
        return;
    if (tokens == 0 || static_cast<std::int64_t>(x.size()) % (tokens * width) != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("A rotary table of {} tokens does not fit {} values of width {}", tokens,
                                x.size(), width));
    execution.workers.parallelFor(
        static_cast<std::int64_t>(x.size()) / width, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const float* c = cos.data() + row % tokens * pairs;
                const float* s = sin.data() + row % tokens * pairs;
                float* head = x.data() + row * width;
                for (std::int64_t index = 0; index < heads; ++index, head += 2 * pairs)
                    for (std::int64_t pair = 0; pair < pairs; ++pair) {
                        const float a = head[2 * pair];
                        const float b = head[2 * pair + 1];
                        head[2 * pair] = a * c[pair] - b * s[pair];
                        head[2 * pair + 1] = a * s[pair] + b * c[pair];
                    }
            }
        });
}

namespace {

void requireFit(const MatrixSpan& x, const HeadNorm& norm, std::span<const float> squares) {
    const bool heads = norm.headDim > 0 && norm.headDim % 2 == 0 && x.width() % norm.headDim == 0;
    const bool gamma = !norm.scales() || (norm.gamma.dtype() == DType::F32 && norm.gamma.rows() == 1 &&
                                          norm.gamma.width() == x.width());
    const bool sums = squares.empty() || static_cast<std::int64_t>(squares.size()) == x.rows();
    const std::int64_t tokens = norm.rotary != nullptr ? norm.rotary->cos.extent(0) : 1;
    const bool rotary = x.rows() == 0 || (tokens > 0 && x.rows() % tokens == 0);
    if (!heads || !gamma || !sums || !rotary)
        throw Error(
            ErrorKind::Internal,
            fmt::format("A norm of heads of {} with {} weights, {} sums and {} rotations does not fit "
                        "{} rows of {}",
                        norm.headDim, norm.gamma.width(), squares.size(), tokens, x.rows(), x.width()));
}

std::span<float> rowValues(const MatrixSpan& x) {
    if (x.stride() != x.width())
        throw Error(ErrorKind::Internal, "A norm of f32 heads needs rows side by side");
    return {static_cast<float*>(x.data()), static_cast<std::size_t>(x.rows() * x.width())};
}

void normaliseF32(const Execution& execution, const MatrixSpan& x, const HeadNorm& norm,
                  std::span<const float> squares) {
    const std::span<float> values = rowValues(x);
    if (norm.scales()) {
        ScratchVector<float> own;
        if (squares.empty()) {
            own.resize(static_cast<std::size_t>(x.rows()));
            rowSquares(execution, values, x.width(), own);
        }
        rmsNormBySquares(execution, values, x.width(), squares.empty() ? own : squares, norm.fullWidth,
                         norm.epsilon, norm.gamma.numbers(), values);
    }
    if (norm.rotary != nullptr)
        applyRotary(execution, *norm.rotary, x.width() / norm.headDim, values);
}

/// Weights [width] as the kernels take them.
struct SplitWeights {
    explicit SplitWeights(const HeadNorm& norm) {
        const std::span<const float> gamma = norm.scales() ? norm.gamma.numbers() : std::span<const float>();
        even.reserve((gamma.size() + 1) / 2);
        odd.reserve(gamma.size() / 2);
        for (std::size_t i = 0; i < gamma.size(); ++i)
            (i % 2 == 0 ? even : odd).push_back(gamma[i]);
    }
    [[nodiscard]] PairWeights pairs() const {
        return even.empty() ? PairWeights{} : PairWeights{even.data(), odd.data()};
    }

    ScratchVector<float> even;
    ScratchVector<float> odd;
};

PairRotation pairRotation(const RotaryTable* rotary, std::int64_t row) {
    if (rotary == nullptr)
        return {};
    const std::int64_t offset = row % rotary->cos.extent(0) * rotary->cos.extent(1);
    return {rotary->cos.data<float>().data() + offset, rotary->sin.data<float>().data() + offset};
}

void normaliseBf16(const Execution& execution, const MatrixSpan& x, const HeadNorm& norm,
                   std::span<const float> squares) {
    const RowKernels& kernels = rowKernels();
    const SplitWeights gamma(norm);
    const auto pairs = static_cast<std::size_t>(norm.headDim / 2);
    const auto heads = static_cast<std::size_t>(x.width() / norm.headDim);
    execution.workers.parallelFor(x.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            BFloat16* values = x.row<BFloat16>(row).data();
            float factor = 1.0F;
            if (norm.scales()) {
                const float sum = squares.empty() ? kernels.squares(values, heads * pairs)
                                                  : squares[static_cast<std::size_t>(row)];
                factor = static_cast<float>(
                    1.0 /
                    std::sqrt(static_cast<double>(sum) / static_cast<double>(norm.fullWidth) + norm.epsilon));
            }
            kernels.scaleAndRotate(values, heads, pairs, factor, gamma.pairs(),
                                   pairRotation(norm.rotary, row));
        }
    });
}

void normaliseHeads(const OnHost& on, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares) {
    if (x.dtype() == DType::F32)
        normaliseF32(on.execution, x, norm, squares);
    else
        normaliseBf16(on.execution, x, norm, squares);
}

}  // namespace

void rowSquares(const Execution& execution, const MatrixView& x, std::span<float> sums) {
    if (x.dtype() == DType::F32)
        return rowSquares(
            execution,
            std::span(static_cast<const float*>(x.data()), static_cast<std::size_t>(x.rows() * x.width())),
            x.width(), sums);
    if (static_cast<std::int64_t>(sums.size()) != x.rows() || x.width() % 2 != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("Squares of {} rows of {} got {} sums", x.rows(), x.width(), sums.size()));
    const RowKernels& kernels = rowKernels();
    execution.workers.parallelFor(x.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            sums[static_cast<std::size_t>(row)] =
                kernels.squares(x.row<BFloat16>(row).data(), static_cast<std::size_t>(x.width() / 2));
    });
}

void normaliseHeads(const Execution& execution, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares) {
    requireFit(x, norm, squares);
    dispatch(execution, {x, norm.scales() ? norm.gamma : MatrixView(x)},
             [&](const auto& on) { normaliseHeads(on, x, norm, squares); });
}

}  // namespace meshreel
