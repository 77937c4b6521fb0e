// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t queryRows = 32;  // in one work item
constexpr std::int64_t keyRows = 32;    // in one tile; as many accumulators as registers hold
constexpr std::int64_t lanes = 32;      // of head features accumulated together

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

constexpr std::size_t index(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

/// Up to queryRows queries of one head against its keys, tile by tile, with a running maximum.
class QueryRows {
  public:
    explicit QueryRows(std::int64_t headDim)
        : m_headDim(headDim),
          m_width((headDim + lanes - 1) / lanes * lanes),
          m_query(index(queryRows * headDim)),
          m_keys(index(headDim * keyRows)),
          m_values(index(keyRows * m_width)),
          m_output(index(queryRows * m_width)) {}

    void start(const ReferenceAttention& attention, const float* query, std::int64_t rows) {
        m_rows = rows;
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t d = 0; d < m_headDim; ++d)
                m_query[index(row * m_headDim + d)] =
                    attention.scale * static_cast<double>(query[row * attention.heads * m_headDim + d]);
        std::ranges::fill(m_output, 0.0);
        m_maximum.fill(minusInfinity);
        m_sum.fill(0.0);
    }

    /// `count` keys and values, heads·headDim floats apart; `keyMask` may be null.
    void add(const ReferenceAttention& attention, const float* key, const float* value,
             const std::uint8_t* keyMask, std::int64_t count) {
        pack(key, value, attention.heads * m_headDim, count);
        for (std::int64_t row = 0; row < m_rows; ++row) {
            Scores scores = computeScores(row);
            for (std::int64_t j = 0; j < keyRows; ++j)
                if (j >= count || (keyMask != nullptr && keyMask[j] == 0))
                    scores[index(j)] = minusInfinity;
            accumulate(row, scores);
        }
    }

    void finish(std::int64_t row, double* out) const {
        const double sum = m_sum[index(row)];
        for (std::int64_t d = 0; d < m_headDim; ++d)
            out[d] = sum > 0 ? m_output[index(row * m_width + d)] / sum : 0.0;
    }

  private:
    using Scores = std::array<double, static_cast<std::size_t>(keyRows)>;

    /// Keys with the features of a head in rows, values with zeros up to the width.
    void pack(const float* key, const float* value, std::int64_t stride, std::int64_t count) {
        std::ranges::fill(m_keys, 0.0);
        std::ranges::fill(m_values, 0.0);
        for (std::int64_t j = 0; j < count; ++j)
            for (std::int64_t d = 0; d < m_headDim; ++d) {
                m_keys[index(d * keyRows + j)] = static_cast<double>(key[j * stride + d]);
                m_values[index(j * m_width + d)] = static_cast<double>(value[j * stride + d]);
            }
    }

    [[nodiscard]] Scores computeScores(std::int64_t row) const {
        Scores scores{};
        const double* query = m_query.data() + row * m_headDim;
        for (std::int64_t d = 0; d < m_headDim; ++d) {
            const double* keys = m_keys.data() + d * keyRows;
            for (std::int64_t j = 0; j < keyRows; ++j)
                scores[index(j)] += query[d] * keys[j];
        }
        return scores;
    }

    void accumulate(std::int64_t row, Scores& scores) {
        const double before = m_maximum[index(row)];
        const double maximum = std::max(before, std::ranges::max(scores));
        if (maximum == minusInfinity)
            return;
        const double shrink = std::exp(before - maximum);
        double sum = m_sum[index(row)] * shrink;
        for (double& score : scores) {
            score = std::exp(score - maximum);
            sum += score;
        }
        m_maximum[index(row)] = maximum;
        m_sum[index(row)] = sum;
        for (std::int64_t first = 0; first < m_width; first += lanes)
            addValues(m_output.data() + row * m_width + first, m_values.data() + first, shrink, scores);
    }

    void addValues(double* output, const double* values, double shrink, const Scores& weights) const {
        std::array<double, static_cast<std::size_t>(lanes)> total{};
// Unrolled completely it would no longer be seen as a loop to vectorise.
#pragma GCC unroll 1
        for (std::int64_t j = 0; j < keyRows; ++j)
            for (std::int64_t lane = 0; lane < lanes; ++lane)
                total[index(lane)] += weights[index(j)] * values[j * m_width + lane];
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            output[lane] = output[lane] * shrink + total[index(lane)];
    }

    std::int64_t m_headDim;
    std::int64_t m_width;  // headDim rounded up to whole lanes
    std::int64_t m_rows = 0;
    std::vector<double> m_query;   // [queryRows, headDim], times scale
    std::vector<double> m_keys;    // [headDim, keyRows]
    std::vector<double> m_values;  // [keyRows, width]
    std::vector<double> m_output;  // [queryRows, width]: Σ exp(score - maximum)·value
    std::array<double, static_cast<std::size_t>(queryRows)> m_maximum{};
    std::array<double, static_cast<std::size_t>(queryRows)> m_sum{};
};

void requireSizes(const ReferenceAttention& attention, std::int64_t queries, std::size_t out) {
    const std::int64_t width = attention.heads * attention.headDim;
    const std::size_t keys = index(attention.batch * attention.keyLength);
    if (attention.query.size() != index(attention.batch * attention.queryLength * width) ||
        attention.key.size() != keys * index(width) || attention.value.size() != keys * index(width) ||
        (!attention.keyMask.empty() && attention.keyMask.size() != keys) ||
        out != index(attention.batch * queries * width))
        throw Error(ErrorKind::Internal, "reference attention: tensors do not fit their sizes");
}

}  // namespace

void computeReference(const ReferenceAttention& attention, std::int64_t firstQuery, std::int64_t queries,
                      WorkerPool& workers, std::span<double> out) {
    requireSizes(attention, queries, out.size());
    const std::int64_t width = attention.heads * attention.headDim;
    const std::int64_t tiles = (queries + queryRows - 1) / queryRows;
    workers.parallelFor(attention.batch * attention.heads * tiles, [&](std::int64_t begin, std::int64_t end) {
        QueryRows work(attention.headDim);
        for (std::int64_t item = begin; item < end; ++item) {
            const std::int64_t head = item / tiles % attention.heads * attention.headDim;
            const std::int64_t batch = item / tiles / attention.heads;
            const std::int64_t row = item % tiles * queryRows;
            const std::int64_t rows = std::min(queryRows, queries - row);
            const std::int64_t query = batch * attention.queryLength + firstQuery + row;
            work.start(attention, attention.query.data() + query * width + head, rows);
            for (std::int64_t key = 0; key < attention.keyLength; key += keyRows) {
                const std::int64_t at = batch * attention.keyLength + key;
                work.add(attention, attention.key.data() + at * width + head,
                         attention.value.data() + at * width + head,
                         attention.keyMask.empty() ? nullptr : attention.keyMask.data() + at,
                         std::min(keyRows, attention.keyLength - key));
            }
            for (std::int64_t r = 0; r < rows; ++r)
                work.finish(r, out.data() + (batch * queries + row + r) * width + head);
        }
    });
}

}  // namespace meshreel
