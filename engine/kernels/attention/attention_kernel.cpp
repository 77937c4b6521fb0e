// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/attention_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

#include "engine/kernels/attention/custom_attention.h"
#include "engine/kernels/attention/fixed_maximum.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/rows/exponential.h"
#include "engine/kernels/rows/lanes.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

// A problem's queries, as f32.
struct Queries {
    FloatRows rows;
    double norm;
};

// Keys [first, first + count) of a problem, as f32.
struct KeyTile {
    std::int64_t first;
    std::int64_t count;
    FloatRows k;
    FloatRows v;
};

FloatRows copyRows(const HeadRows& rows, std::int64_t first, std::int64_t count, std::int64_t width,
                   ScratchBuffer& buffer) {
    auto* to = buffer.take<float>(count * width);
    for (std::int64_t row = 0; row < count; ++row)
        rows.read(first + row, {to + row * width, static_cast<std::size_t>(width)});
    return {to, width};
}

// Works in place when they are f32 already.
FloatRows asFloats(const HeadRows& rows, std::int64_t count, std::int64_t width, ScratchBuffer& buffer) {
    return rows.type() == DType::F32 ? rows.floats() : copyRows(rows, 0, count, width, buffer);
}

Queries gatherQueries(const HeadInputs& problem, AttentionScratch& scratch) {
    return {asFloats(problem.q, problem.queries, problem.headDim, scratch.queries),
            largestNorm(problem.q, problem.queries, problem.headDim, nullptr)};
}

// Turns one row of scores into weights exp(score - maximum) and gives {maximum, sum}. Both rows may be the
// same.
template <typename Score>
std::pair<float, float> softmaxRow(std::span<const Score> scores, std::span<float> weights) {
    const auto larger = [](Score a, Score b) { return a > b ? a : b; };
    const auto same = [](auto value) { return value; };
    const auto maximum = static_cast<float>(foldLanes<floatLanes>(scores, Score{noKey}, same, larger));
    if (maximum == noKey) {
        // A row of NaN also has no maximum; its NaN must stay seen.
        for (std::size_t i = 0; i < scores.size(); ++i)
            weights[i] = scores[i] == Score{noKey} ? 0.0F : static_cast<float>(scores[i]);
    } else {
        const auto lowerBy = static_cast<Score>(maximum);
        std::transform(scores.begin(), scores.end(), weights.begin(),
                       [lowerBy](Score score) { return exponential(static_cast<float>(score - lowerBy)); });
    }
    return {maximum, foldLanes<floatLanes>(std::span<const float>(weights), 0.0F, same, std::plus<>())};
}

template <typename Score>
void softmaxTile(const HeadInputs& problem, const KeyTile& tile, Score* scores, float* weights,
                 AttentionPartial& result) {
    const auto count = static_cast<std::size_t>(tile.count);
    for (std::int64_t row = 0; row < problem.queries; ++row) {
        const std::span<Score> rowScores{scores + row * tile.count, count};
        if (problem.keyMask != nullptr)
            for (std::size_t key = 0; key < count; ++key)
                if (problem.keyMask[static_cast<std::size_t>(tile.first) + key] == 0)
                    rowScores[key] = Score{noKey};
        const auto index = static_cast<std::size_t>(row);
        std::tie(result.maximum[index], result.sum[index]) =
            softmaxRow<Score>(rowScores, {weights + row * tile.count, count});
    }
}

// 1 when the scores are to be added to.
template <typename Score>
Score putBias(const HeadInputs& problem, const KeyTile& tile, Score* scores) {
    if (!problem.bias.present())
        return 0;
    for (std::int64_t row = 0; row < problem.queries; ++row)
        std::copy_n(problem.bias.floats().row(row) + tile.first, tile.count, scores + row * tile.count);
    return 1;
}

/// Operands of a tile of scores = scale·rows·columnsᵀ, [rows, columns], in f32 or f64.
template <typename Real>
struct ScoreTile {
    Rows<Real> rows;
    std::int64_t rowCount = 0;
    Rows<Real> columns;
    std::int64_t columnCount = 0;
    std::int64_t headDim = 0;
    double scale = 1.0;
};

/// scores = the tile + beta·scores.
template <typename Real>
void fillScores(const ScoreTile<Real>& tile, Real beta, Real* scores) {
    gemm(false, true, tile.rowCount, tile.columnCount, tile.headDim, static_cast<Real>(tile.scale),
         tile.rows.data, tile.rows.stride, tile.columns.data, tile.columns.stride, beta, scores,
         tile.columnCount);
}

// The weights of the tile's keys, their sums and maxima. The weights may lie where the scores do.
template <typename Score>
void softmax(const HeadInputs& problem, const Rows<Score>& queries, const Rows<Score>& keys,
             const KeyTile& tile, Score* scores, float* weights, AttentionPartial& result) {
    const Score beta = putBias(problem, tile, scores);
    fillScores<Score>({.rows = queries,
                       .rowCount = problem.queries,
                       .columns = keys,
                       .columnCount = tile.count,
                       .headDim = problem.headDim,
                       .scale = problem.scale},
                      beta, scores);
    softmaxTile(problem, tile, scores, weights, result);
}

void wideSoftmax(const HeadInputs& problem, const Queries& queries, const KeyTile& tile,
                 AttentionScratch& scratch, float* weights, AttentionPartial& result) {
    const std::int64_t width = problem.headDim;
    auto* wideQueries = scratch.wideRows.take<double>((problem.queries + tile.count) * width);
    double* wideKeys = wideQueries + problem.queries * width;
    softmax(problem, widen(queries.rows, problem.queries, width, wideQueries),
            widen(tile.k, tile.count, width, wideKeys), tile,
            scratch.wideScores.take<double>(problem.queries * tile.count), weights, result);
}

// All queries against the keys of the tile.
void attendTile(const HeadInputs& problem, const Queries& queries, const KeyTile& tile,
                AttentionScratch& scratch, AttentionPartial& result) {
    result.reset(problem.queries, problem.headDim);
    if (tile.count == 0)
        return;
    const double keyNorm =
        largestNorm(HeadRows(tile.k.data, tile.k.stride), tile.count, problem.headDim, nullptr);
    auto* weights = scratch.scores.take<float>(problem.queries * tile.count);
    if (needsWideScores(queries.norm, keyNorm, problem.scale, DType::F32))
        wideSoftmax(problem, queries, tile, scratch, weights, result);
    else
        softmax(problem, queries.rows, tile.k, tile, weights, weights, result);
    gemm(false, false, problem.queries, problem.headDim, tile.count, 1.0F, weights, tile.count, tile.v.data,
         tile.v.stride, 0.0F, result.output.data(), problem.headDim);
}

constexpr std::size_t dotLanes = 16;

// Products of bf16 values are exact in f32 and their sums good enough for it; those of f32 values may be so
// large that only f64 holds their digits.
template <typename Sum>
double dot(std::span<const float> a, std::span<const float> b) {
    std::array<Sum, dotLanes> partial{};
    const std::size_t whole = a.size() / dotLanes * dotLanes;
    for (std::size_t i = 0; i < whole; i += dotLanes)
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < dotLanes; ++lane)
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

std::size_t AttentionScratch::bytes() const {
    return queries.bytes() + keys.bytes() + values.bytes() + scores.bytes() + wideScores.bytes() +
           wideRows.bytes() + statistics.bytes() + output.bytes();
}

double exponentScale(const HeadInputs& problem, ExponentBase base) {
    return base == ExponentBase::Two ? problem.scale * std::numbers::log2e : problem.scale;
}

void dotProductAttention(const HeadInputs& problem, AttentionScratch& scratch, AttentionPartial& result) {
    const KeyTile all{.first = 0,
                      .count = problem.keys,
                      .k = asFloats(problem.k, problem.keys, problem.headDim, scratch.keys),
                      .v = asFloats(problem.v, problem.keys, problem.headDim, scratch.values)};
    attendTile(problem, gatherQueries(problem, scratch), all, scratch, result);
}

void flashAttention(const HeadInputs& problem, const FlashBlockSizes& blocks, AttentionScratch& scratch,
                    AttentionPartial& result) {
    if (!problem.bias.present()) {
        customAttention({&problem, 1}, blocks, ExponentBase::Two, scratch, {&result, 1});
        return;
    }
    result.reset(problem.queries, problem.headDim);
    const Queries queries = gatherQueries(problem, scratch);
    for (std::int64_t block = 0; block < problem.keys; block += blocks.blockKv) {
        const std::int64_t blockKeys = std::min(blocks.blockKv, problem.keys - block);
        const FloatRows k = copyRows(problem.k, block, blockKeys, problem.headDim, scratch.keys);
        const FloatRows v = copyRows(problem.v, block, blockKeys, problem.headDim, scratch.values);
        for (std::int64_t tile = 0; tile < blockKeys; tile += blocks.blockKvCompute) {
            const std::int64_t tileKeys = std::min(blocks.blockKvCompute, blockKeys - tile);
            attendTile(problem, queries,
                       {.first = block + tile, .count = tileKeys, .k = k.from(tile), .v = v.from(tile)},
                       scratch, scratch.tile);
            mergePartials(result, scratch.tile);
        }
    }
}

void addRepeatedKey(const HeadInputs& problem, std::int64_t key, std::int64_t count,
                    AttentionPartial& partial) {
    const auto width = static_cast<std::size_t>(problem.headDim);
    ScratchVector<float> rows(3 * width);
    const std::span<float> k(rows.data(), width);
    const std::span<float> v(rows.data() + width, width);
    const std::span<float> q(rows.data() + 2 * width, width);
    problem.k.read(key, k);
    problem.v.read(key, v);
    const double scale = exponentScale(problem, partial.base);
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

std::span<const std::int64_t> KeySource::next(std::int64_t most) {
    m_rows.clear();
    for (; m_next < m_problem->keys && std::ssize(m_rows) < most; ++m_next)
        if (m_problem->keyMask == nullptr || m_problem->keyMask[m_next] != 0)
            m_rows.push_back(m_next);
    return m_rows;
}

bool needsWideScores(double rowNorm, double columnNorm, double scale, DType storage) {
    // Measured: with f32 scores the attention of standard-normal values is off by up to 1.2e-7 times the
    // bound on the scores. Standard-normal queries and keys of 256 elements stay below 26.
    constexpr double largestNarrowScore = 40.0;
    // With these the error is 1e-3, a quarter of one rounding to bf16.
    constexpr double largestNarrowScoreOfBf16 = 8000.0;
    return rowNorm * columnNorm * std::abs(scale) >
           (storage == DType::BF16 ? largestNarrowScoreOfBf16 : largestNarrowScore);
}

Rows<double> widen(const FloatRows& rows, std::int64_t count, std::int64_t width, double* to) {
    for (std::int64_t row = 0; row < count; ++row)
        std::copy_n(rows.row(row), width, to + row * width);
    return {to, width};
}

}  // namespace meshreel
