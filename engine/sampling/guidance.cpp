// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/guidance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

Tensor guide(const Tensor& cond, const Tensor& uncond, double scale) {
    if (cond.shape() != uncond.shape())
        throw Error(ErrorKind::Internal, "guidance got predictions of shapes " + cond.shape().text() +
                                             " and " + uncond.shape().text());
    const auto factor = static_cast<float>(scale);
    Tensor guided = Tensor::empty(cond.shape());
    std::ranges::transform(
        cond.data<float>(), uncond.data<float>(), guided.data<float>().begin(),
        [factor](float with, float without) { return without + factor * (with - without); });
    return guided;
}

namespace {

/// A square matrix that keeps the frequencies |k| < `cut` of `length` samples. It is symmetric: taking the
/// low part is a product with it along each axis, without a transform there and back.
class LowBand {
  public:
    LowBand(std::int64_t length, std::int64_t cut) : m_length(static_cast<std::size_t>(length)) {
        std::vector<double> kernel;  // by distance
        for (std::int64_t distance = 0; distance < length; ++distance) {
            double sum = 1;
            for (std::int64_t k = 1; k < cut; ++k)
                sum += 2 * std::cos(2 * std::numbers::pi * static_cast<double>(k * distance) /
                                    static_cast<double>(length));
            kernel.push_back(sum / static_cast<double>(length));
        }
        m_values.resize(m_length * m_length);
        for (std::size_t row = 0; row < m_length; ++row)
            for (std::size_t column = 0; column < m_length; ++column)
                m_values[row * m_length + column] = kernel[row > column ? row - column : column - row];
    }

    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return m_values[row * m_length + column];
    }

  private:
    std::size_t m_length;
    std::vector<double> m_values;
};

/// The low part of planes of one size.
class PlaneLowPass {
  public:
    PlaneLowPass(std::int64_t height, std::int64_t width)
        : m_height(static_cast<std::size_t>(height)),
          m_width(static_cast<std::size_t>(width)),
          m_rows(height, std::max<std::int64_t>(1, height / bandPart)),
          m_columns(width, std::max<std::int64_t>(1, (width / 2 + 1) / bandPart)),
          m_alongRows(m_height * m_width),
          m_low(m_height * m_width) {}

    [[nodiscard]] std::span<const double> of(std::span<const double> plane) {
        std::ranges::fill(m_alongRows, 0.0);
        for (std::size_t y = 0; y < m_height; ++y)
            for (std::size_t from = 0; from < m_width; ++from)
                for (std::size_t x = 0; x < m_width; ++x)
                    m_alongRows[y * m_width + x] += plane[y * m_width + from] * m_columns.at(from, x);
        std::ranges::fill(m_low, 0.0);
        for (std::size_t y = 0; y < m_height; ++y)
            for (std::size_t from = 0; from < m_height; ++from)
                for (std::size_t x = 0; x < m_width; ++x)
                    m_low[y * m_width + x] += m_rows.at(y, from) * m_alongRows[from * m_width + x];
        return m_low;
    }

  private:
    static constexpr std::int64_t bandPart = 4;

    std::size_t m_height;
    std::size_t m_width;
    LowBand m_rows;
    LowBand m_columns;
    std::vector<double> m_alongRows;
    std::vector<double> m_low;
};

}  // namespace

Tensor madeUpUncond(const Tensor& cond, const Tensor& lastCond, const Tensor& lastUncond,
                    const CfgCacheWeights& weights) {
    const std::int64_t height = cond.extent(3);
    const std::int64_t width = cond.extent(4);
    PlaneLowPass lowPass(height, width);
    Tensor made = Tensor::empty(cond.shape());
    const auto plane = static_cast<std::size_t>(height * width);
    const std::span<const float> now = cond.data<float>();
    const std::span<const float> without = lastUncond.data<float>();
    const std::span<const float> with = lastCond.data<float>();
    const std::span<float> out = made.data<float>();
    std::vector<double> difference(plane);
    for (std::size_t first = 0; first < now.size(); first += plane) {
        for (std::size_t at = 0; at < plane; ++at)
            difference[at] = double{without[first + at]} - double{with[first + at]};
        const std::span<const double> low = lowPass.of(difference);
        for (std::size_t at = 0; at < plane; ++at)
            out[first + at] = static_cast<float>(double{now[first + at]} + weights.high * difference[at] +
                                                 (weights.low - weights.high) * low[at]);
    }
    return made;
}

}  // namespace meshreel
