// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/uni_pc_coefficients.h"

#include <cmath>
#include <utility>

#include "engine/sampling/schedulers/noise_level.h"

namespace meshreel {
namespace {

/// Solves the leading `size` x `size` block of `matrix` (row-major rows) by elimination with partial
/// pivoting.
std::vector<float> solve(std::vector<std::vector<float>> matrix, std::vector<float> right, std::size_t size) {
    for (std::size_t column = 0; column < size; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column + 1; row < size; ++row)
            if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column]))
                pivot = row;
        std::swap(matrix[column], matrix[pivot]);
        std::swap(right[column], right[pivot]);
        for (std::size_t row = column + 1; row < size; ++row) {
            const float factor = matrix[row][column] / matrix[column][column];
            for (std::size_t k = column; k < size; ++k)
                matrix[row][k] -= factor * matrix[column][k];
            right[row] -= factor * right[column];
        }
    }
    std::vector<float> solution(size);
    for (std::size_t row = size; row-- > 0;) {
        float value = right[row];
        for (std::size_t k = row + 1; k < size; ++k)
            value -= matrix[row][k] * solution[k];
        solution[row] = value / matrix[row][row];
    }
    return solution;
}

/// Weights of the residuals: those that make the update exact for polynomials, from the conditions R w = b.
std::vector<float> residualWeights(const std::vector<float>& ratios, float negativeH, float bh, int order,
                                   UniPcPhase phase) {
    const bool correct = phase == UniPcPhase::Correct;
    const auto unknowns = static_cast<std::size_t>(correct ? order : order - 1);
    if (unknowns == 0)
        return {};
    if (unknowns == 1)
        return {0.5F};  // upstream's shortcut for the lowest order

    std::vector<float> nodes = ratios;
    nodes.push_back(1.0F);
    std::vector<std::vector<float>> conditions;
    std::vector<float> right;
    float phi = std::expm1(negativeH) / negativeH - 1.0F;
    float factorial = 1.0F;
    for (int power = 0; power < order; ++power) {
        std::vector<float>& row = conditions.emplace_back();
        for (const float node : nodes)
            row.push_back(std::pow(node, static_cast<float>(power)));
        right.push_back(phi * factorial / bh);
        factorial *= static_cast<float>(power + 2);
        phi = phi / negativeH - 1.0F / factorial;
    }
    return solve(std::move(conditions), std::move(right), unknowns);
}

}  // namespace

UniPcCoefficients uniPcCoefficients(std::span<const float> sigmas, std::size_t from, int order,
                                    UniPcPhase phase, const SchedulerConfig& config) {
    const NoiseLevel s = noiseLevel(sigmas[from], config.flowSigmas);
    const NoiseLevel t = noiseLevel(sigmas[from + 1], config.flowSigmas);
    const float h = t.lambda - s.lambda;
    const float phi1 = std::expm1(-h);
    const float bh = config.uniPcSolver == UniPcSolver::Bh1 ? -h : phi1;

    UniPcCoefficients result;
    result.sampleScale = t.sigma / s.sigma;
    result.cleanScale = t.alpha * phi1;
    result.residualScale = t.alpha * bh;
    for (std::size_t k = 1; k < static_cast<std::size_t>(order); ++k)
        result.ratios.push_back((noiseLevel(sigmas[from - k], config.flowSigmas).lambda - s.lambda) / h);
    result.weights = residualWeights(result.ratios, -h, bh, order, phase);
    return result;
}

}  // namespace meshreel
