// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/repeated_key.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace meshreel {

namespace {

constexpr std::size_t lanes = 16;

// Products of bf16 values are exact in f32 and their sums good enough for it; those of f32 values may be so
// large that only f64 holds their digits.
template <typename Sum>
double dot(std::span<const float> a, std::span<const float> b) {
    std::array<Sum, lanes> partial{};
    const std::size_t whole = a.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < lanes; ++lane)
            partial[lane] += static_cast<Sum>(a[i + lane]) * static_cast<Sum>(b[i + lane]);
    for (std::size_t i = whole; i < a.size(); ++i)
        partial[i - whole] += static_cast<Sum>(a[i]) * static_cast<Sum>(b[i]);
    double sum = 0;
    for (const Sum value : partial)
        sum += static_cast<double>(value);
    return sum;
}

// base^(score - maximum).
float weight(ExponentBase base, double score, float maximum) {
    const auto distance = static_cast<float>(score - static_cast<double>(maximum));
    return base == ExponentBase::Two ? std::exp2(distance) : std::exp(distance);
}

}  // namespace

void addRepeatedKey(const AttentionProblem& problem, std::int64_t key, std::int64_t count,
                    AttentionPartial& partial) {
    const auto width = static_cast<std::size_t>(problem.headDim);
    std::vector<float> rows(3 * width);
    const std::span<float> k(rows.data(), width);
    const std::span<float> v(rows.data() + width, width);
    const std::span<float> q(rows.data() + 2 * width, width);
    problem.k.read(key, k);
    problem.v.read(key, v);
    const double scale = problem.scale * (partial.base == ExponentBase::Two ? std::numbers::log2e : 1.0);
    const auto dotProduct = problem.q.type() == DType::BF16 ? dot<float> : dot<double>;
    for (std::int64_t query = 0; query < problem.queries; ++query) {
        problem.q.read(query, q);
        const double score = scale * dotProduct(q, k);
        const auto index = static_cast<std::size_t>(query);
        const float before = partial.maximum[index];
        const float maximum = std::max(before, static_cast<float>(score));
        const float kept =
            before == maximum ? 1.0F : weight(partial.base, static_cast<double>(before), maximum);
        const float added = static_cast<float>(count) * weight(partial.base, score, maximum);
        partial.maximum[index] = maximum;
        partial.sum[index] = kept * partial.sum[index] + added;
        float* output = partial.output.data() + query * problem.headDim;
        for (std::size_t i = 0; i < width; ++i)
            output[i] = kept * output[i] + added * v[i];
    }
}

}  // namespace meshreel
