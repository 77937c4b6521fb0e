// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a panel, over a vector type; compiled once for each instruction set.
#pragma once

#include "engine/kernels/attention/panel_kernels.h"

namespace meshreel {

template <typename Vector>
struct PanelProducts {
    using Value = typename Vector::Value;
    using Element = typename Vector::Element;

    static constexpr int keyRows = Vector::scoreKeys;
    static constexpr int queryVectors = Vector::scoreVectors;
    static constexpr std::int64_t blockQueries = queryVectors * Vector::lanes;
    static_assert(panelQueries % blockQueries == 0 && panelKeyStep % keyRows == 0);

    // Calls put(key, query, score vector) for each vector of the scores.
    template <typename Put>
    static void score(const PanelProduct<Element>& product, Put put) {
        for (std::int64_t key = 0; key < product.keyCount; key += keyRows)
            for (std::int64_t query = 0; query < panelQueries; query += blockQueries)
                scoreBlock(product, key, query, put);
    }

  private:
    template <typename Put>
    static void scoreBlock(const PanelProduct<Element>& product, std::int64_t firstKey,
                           std::int64_t firstQuery, Put put) {
        Value sums[keyRows][queryVectors];
        for (auto& row : sums)
            for (Value& sum : row)
                sum = Vector::zero();
        const Element* keys = product.keys.row(firstKey);
        const Element* queries = product.queries + firstQuery;
        for (std::int64_t i = 0; i < product.headDim; ++i, queries += panelQueries) {
            Value column[queryVectors];
            for (int vector = 0; vector < queryVectors; ++vector)
                column[vector] = Vector::load(queries + vector * Vector::lanes);
            for (int row = 0; row < keyRows; ++row) {
                const Value key = Vector::broadcast(keys[row * product.keys.stride + i]);
                for (int vector = 0; vector < queryVectors; ++vector)
                    sums[row][vector] = Vector::multiplyAdd(key, column[vector], sums[row][vector]);
            }
        }
        const Value scale = Vector::broadcast(product.scale);
        for (int row = 0; row < keyRows; ++row)
            for (int vector = 0; vector < queryVectors; ++vector)
                put(firstKey + row, firstQuery + vector * Vector::lanes,
                    Vector::multiply(sums[row][vector], scale));
    }
};

template <typename Vector>
void scorePanel(const PanelProduct<float>& product, const PanelScores& scores) {
    PanelProducts<Vector>::score(product, [&](std::int64_t key, std::int64_t query, auto value) {
        Vector::store(scores.whole + key * panelQueries + query, value);
    });
}

template <typename Vector>
void scorePanelWide(const PanelProduct<double>& product, const PanelScores& scores) {
    PanelProducts<Vector>::score(product, [&](std::int64_t key, std::int64_t query, auto value) {
        const auto whole = Vector::nearest(value);
        const std::int64_t at = key * panelQueries + query;
        Vector::storeNarrow(scores.whole + at, whole);
        Vector::storeNarrow(scores.fraction + at, Vector::subtract(value, whole));
    });
}

template <typename Vector>
struct PanelValues {
    using Value = typename Vector::Value;

    static constexpr int rows = Vector::outputQueries;
    static constexpr int vectors = Vector::outputVectors;
    static constexpr std::int64_t columns = vectors * Vector::lanes;
    static_assert(panelQueries % rows == 0 && panelValueStep % columns == 0);

    // f32 sums of more terms than this would lose digits, and operands of more keys leave the L1 cache.
    static constexpr std::int64_t longestSum = 128;

    static void add(const PanelWeights& all, const PanelOutput& output) {
        for (std::int64_t key = 0; key < all.keys; key += longestSum)
            for (std::int64_t column = 0; column < output.width; column += columns)
                for (std::int64_t query = 0; query < output.queries; query += rows)
                    addBlock({.weights = all.weights + key * panelQueries + query,
                              .values = all.values + column / panelValueStep * all.groupStride +
                                        key * panelValueStep + column % panelValueStep,
                              .groupStride = all.groupStride,
                              .keys = all.keys - key < longestSum ? all.keys - key : longestSum},
                             {.data = output.data + query * output.stride + column,
                              .stride = output.stride,
                              .queries = output.queries - query,
                              .width = output.width - column});
    }

  private:
    static void addBlock(const PanelWeights& part, const PanelOutput& output) {
        Value sums[rows][vectors];
        for (auto& row : sums)
            for (Value& sum : row)
                sum = Vector::zero();
        const float* weights = part.weights;
        const float* values = part.values;
        for (std::int64_t key = 0; key < part.keys;
             ++key, weights += panelQueries, values += panelValueStep) {
            Value row[vectors];
            for (int vector = 0; vector < vectors; ++vector)
                row[vector] = Vector::load(values + vector * Vector::lanes);
            for (int query = 0; query < rows; ++query) {
                const Value weight = Vector::broadcast(weights[query]);
                for (int vector = 0; vector < vectors; ++vector)
                    sums[query][vector] = Vector::multiplyAdd(weight, row[vector], sums[query][vector]);
            }
        }
        if (output.queries >= rows && output.width >= columns) {
            for (int query = 0; query < rows; ++query)
                for (int vector = 0; vector < vectors; ++vector) {
                    float* to = output.data + query * output.stride + vector * Vector::lanes;
                    Vector::store(to, Vector::add(Vector::load(to), sums[query][vector]));
                }
            return;
        }
        addPart(sums, output);
    }

    static void addPart(const Value (&sums)[rows][vectors], const PanelOutput& output) {
        float row[columns];
        for (int query = 0; query < rows && query < output.queries; ++query) {
            for (int vector = 0; vector < vectors; ++vector)
                Vector::store(row + vector * Vector::lanes, sums[query][vector]);
            float* to = output.data + query * output.stride;
            for (std::int64_t column = 0; column < columns && column < output.width; ++column)
                to[column] += row[column];
        }
    }
};

}  // namespace meshreel
