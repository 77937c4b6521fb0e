// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace meshreel {

namespace {

constexpr double theta = 10000.0;

// cos and sin of position · theta^(-2j/components), [positions, components / 2] each.
struct AxisAngles {
    AxisAngles(std::int64_t positions, std::int64_t components) : pairs(components / 2) {
        for (std::int64_t position = 0; position < positions; ++position)
            for (std::int64_t pair = 0; pair < pairs; ++pair) {
                const double exponent = static_cast<double>(2 * pair) / static_cast<double>(components);
                const double angle = static_cast<double>(position) * (1.0 / std::pow(theta, exponent));
                cos.push_back(static_cast<float>(std::cos(angle)));
                sin.push_back(static_cast<float>(std::sin(angle)));
            }
    }

    // Copies one position's pairs to both places, which move on behind them.
    void appendTo(std::int64_t position, float*& cosPlace, float*& sinPlace) const {
        cosPlace = std::copy_n(cos.data() + position * pairs, pairs, cosPlace);
        sinPlace = std::copy_n(sin.data() + position * pairs, pairs, sinPlace);
    }

    std::int64_t pairs;
    std::vector<float> cos;
    std::vector<float> sin;
};

}  // namespace

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
    const auto [timeComponents, rowComponents, columnComponents] = rotaryAxes(headDim);
    const AxisAngles time(grid.frames, timeComponents);
    const AxisAngles vertical(grid.rows, rowComponents);
    const AxisAngles horizontal(grid.columns, columnComponents);
    const Shape shape{endToken - firstToken, headDim / 2};
    RotaryTable table{Tensor::empty(shape), Tensor::empty(shape)};
    float* cosPlace = table.cos.data<float>().data();
    float* sinPlace = table.sin.data<float>().data();
    for (std::int64_t token = firstToken; token < endToken; ++token) {
        time.appendTo(token / (grid.rows * grid.columns), cosPlace, sinPlace);
        vertical.appendTo(token / grid.columns % grid.rows, cosPlace, sinPlace);
        horizontal.appendTo(token % grid.columns, cosPlace, sinPlace);
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

}  // namespace meshreel
