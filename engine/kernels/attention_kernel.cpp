// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "engine/kernels/exponential.h"
#include "engine/kernels/lanes.h"
#include "engine/kernels/matmul.h"

namespace meshreel {

namespace {

constexpr float noKey = -std::numeric_limits<float>::infinity();
constexpr std::size_t floatLanes = 16;

float* rowOf(std::vector<float>& rows, std::int64_t index, std::int64_t width) {
    return rows.data() + index * width;
}

std::span<float> spanOf(float* data, std::int64_t count) {
    return {data, static_cast<std::size_t>(count)};
}

void resize(std::vector<float>& values, std::int64_t count) {
    values.resize(static_cast<std::size_t>(count));
}

// Turns one row of scores into exp(score - maximum) and gives {maximum, sum}.
std::pair<float, float> softmaxRow(std::span<float> scores) {
    const auto larger = [](float a, float b) { return a > b ? a : b; };
    const auto same = [](float value) { return value; };
    const float maximum = foldLanes<floatLanes>(std::span<const float>(scores), noKey, same, larger);
    if (maximum == noKey) {
        // A row of NaN also has no maximum; its NaN must stay seen.
        for (float& score : scores)
            score = score == noKey ? 0.0F : score;
    } else {
        for (float& score : scores)
            score = exponential(score - maximum);
    }
    return {maximum, foldLanes<floatLanes>(std::span<const float>(scores), 0.0F, same, std::plus<>())};
}

// All queries against keys [first, first + count), whose rows are given apart from the problem's because they
// may have been copied.
void attendTile(const AttentionProblem& problem, std::int64_t first, std::int64_t count, HeadRows k,
                HeadRows v, std::vector<float>& scores, AttentionPartial& result) {
    const std::int64_t queries = problem.queries;
    const std::int64_t width = problem.headDim;
    result.reset(queries, width);
    if (count == 0)
        return;
    resize(scores, queries * count);
    const bool biased = problem.bias.data != nullptr;
    if (biased)
        for (std::int64_t row = 0; row < queries; ++row)
            std::copy_n(problem.bias.row(row) + first, count, rowOf(scores, row, count));
    gemm(false, true, queries, count, width, problem.scale, problem.q.data, problem.q.stride, k.data,
         k.stride, biased ? 1.0F : 0.0F, scores.data(), count);
    for (std::int64_t row = 0; row < queries; ++row) {
        const std::span<float> rowScores = spanOf(rowOf(scores, row, count), count);
        if (problem.keep != nullptr)
            for (std::int64_t key = 0; key < count; ++key)
                if (problem.keep[first + key] == 0)
                    rowScores[static_cast<std::size_t>(key)] = noKey;
        const auto index = static_cast<std::size_t>(row);
        std::tie(result.maximum[index], result.sum[index]) = softmaxRow(rowScores);
    }
    gemm(false, false, queries, width, count, 1.0F, scores.data(), count, v.data, v.stride, 0.0F,
         result.output.data(), width);
}

HeadRows copyRows(const HeadRows& rows, std::int64_t first, std::int64_t count, std::int64_t width,
                  std::vector<float>& to) {
    resize(to, count * width);
    for (std::int64_t row = 0; row < count; ++row)
        std::copy_n(rows.row(first + row), width, rowOf(to, row, width));
    return {to.data(), width};
}

}  // namespace

void AttentionPartial::reset(std::int64_t queryCount, std::int64_t width) {
    queries = queryCount;
    headDim = width;
    output.assign(static_cast<std::size_t>(queries * headDim), 0.0F);
    maximum.assign(static_cast<std::size_t>(queries), noKey);
    sum.assign(static_cast<std::size_t>(queries), 0.0F);
}

void mergePartials(AttentionPartial& into, const AttentionPartial& part) {
    for (std::int64_t row = 0; row < into.queries; ++row) {
        const auto index = static_cast<std::size_t>(row);
        const float maximum = std::max(into.maximum[index], part.maximum[index]);
        // With no key on either side both factors are 1 and what they scale is zero (or NaN, which must stay
        // seen).
        const float keepFactor =
            into.maximum[index] == maximum ? 1.0F : std::exp(into.maximum[index] - maximum);
        const float partFactor =
            part.maximum[index] == maximum ? 1.0F : std::exp(part.maximum[index] - maximum);
        into.maximum[index] = maximum;
        into.sum[index] = keepFactor * into.sum[index] + partFactor * part.sum[index];
        float* output = rowOf(into.output, row, into.headDim);
        const float* added = part.output.data() + row * part.headDim;
        for (std::int64_t i = 0; i < into.headDim; ++i)
            output[i] = keepFactor * output[i] + partFactor * added[i];
    }
}

void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride) {
    for (std::int64_t row = 0; row < partial.queries; ++row) {
        const float sum = partial.sum[static_cast<std::size_t>(row)];
        const float factor = sum == 0.0F ? 0.0F : 1.0F / sum;
        const float* output = partial.output.data() + row * partial.headDim;
        for (std::int64_t i = 0; i < partial.headDim; ++i)
            out[row * stride + i] = output[i] * factor;
    }
}

void dotProductAttention(const AttentionProblem& problem, AttentionScratch& scratch,
                         AttentionPartial& result) {
    attendTile(problem, 0, problem.keys, problem.k, problem.v, scratch.scores, result);
}

void flashAttention(const AttentionProblem& problem, std::int64_t blockKv, std::int64_t blockKvCompute,
                    AttentionScratch& scratch, AttentionPartial& result) {
    result.reset(problem.queries, problem.headDim);
    for (std::int64_t block = 0; block < problem.keys; block += blockKv) {
        const std::int64_t blockKeys = std::min(blockKv, problem.keys - block);
        const HeadRows k = copyRows(problem.k, block, blockKeys, problem.headDim, scratch.keys);
        const HeadRows v = copyRows(problem.v, block, blockKeys, problem.headDim, scratch.values);
        for (std::int64_t tile = 0; tile < blockKeys; tile += blockKvCompute) {
            const std::int64_t tileKeys = std::min(blockKvCompute, blockKeys - tile);
            attendTile(problem, block + tile, tileKeys, {k.row(tile), k.stride}, {v.row(tile), v.stride},
                       scratch.scores, scratch.tile);
            mergePartials(result, scratch.tile);
        }
    }
}

}  // namespace meshreel
