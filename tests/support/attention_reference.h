// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/tensor.h"
#include "tests/support/random_tensor.h"

namespace meshreel::testing {

/// One attention over whole sequences.
struct WholeAttention {
    Tensor query;                       // [batch, queries, heads, headDim] f32
    Tensor key;                         // [batch, keys, heads, headDim] f32
    Tensor value;                       // as key
    std::vector<std::uint8_t> keyMask;  // [batch, keys], or empty
    double scale = 0.0;
    std::vector<float> bias = {};  // [queries, keys], or empty
};

/// Softmax attention in double, as the formula says it: [batch, queries, heads, headDim].
inline std::vector<double> referenceAttention(const WholeAttention& attention) {
    const Tensor& query = attention.query;
    const Tensor& key = attention.key;
    const std::int64_t heads = query.extent(2);
    const std::int64_t width = query.extent(3);
    const std::int64_t keys = key.extent(1);
    const auto row = [&](const Tensor& tensor, std::int64_t batch, std::int64_t token, std::int64_t head) {
        const std::int64_t first = ((batch * tensor.extent(1) + token) * heads + head) * width;
        return tensor.data<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(width));
    };
    std::vector<double> out;
    std::vector<double> scores(static_cast<std::size_t>(keys));
    for (std::int64_t batch = 0; batch < query.extent(0); ++batch)
        for (std::int64_t token = 0; token < query.extent(1); ++token)
            for (std::int64_t head = 0; head < heads; ++head) {
                const auto q = row(query, batch, token, head);
                double largest = -std::numeric_limits<double>::infinity();
                for (std::int64_t k = 0; k < keys; ++k) {
                    double& score = scores[static_cast<std::size_t>(k)];
                    score = -std::numeric_limits<double>::infinity();
                    if (!attention.keyMask.empty() &&
                        attention.keyMask[static_cast<std::size_t>(batch * keys + k)] == 0)
                        continue;
                    const auto other = row(key, batch, k, head);
                    score = 0.0;
                    for (std::size_t i = 0; i < q.size(); ++i)
                        score += static_cast<double>(q[i]) * static_cast<double>(other[i]);
                    score *= attention.scale;
                    if (!attention.bias.empty())
                        score +=
                            static_cast<double>(attention.bias[static_cast<std::size_t>(token * keys + k)]);
                    largest = std::max(largest, score);
                }
                std::vector<double> sum(static_cast<std::size_t>(width), 0.0);
                double weights = 0.0;
                for (std::int64_t k = 0; k < keys && std::isfinite(largest); ++k) {
                    const double weight = std::exp(scores[static_cast<std::size_t>(k)] - largest);
                    weights += weight;
                    const auto v = row(attention.value, batch, k, head);
                    for (std::size_t i = 0; i < v.size(); ++i)
                        sum[i] += weight * static_cast<double>(v[i]);
                }
                for (const double value : sum)
                    out.push_back(weights == 0.0 ? 0.0 : value / weights);
            }
    return out;
}

enum class Mask { None, Random, Tail, OneRowEmpty };

struct WholeShape {
    std::int64_t batch = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t heads = 1;
    std::int64_t headDim = 8;
    Mask mask = Mask::None;
    float gain = 1.0F;  // of queries and keys of every third head
};

inline std::vector<std::uint8_t> readMask(const WholeShape& shape, std::uint32_t seed) {
    std::vector<std::uint8_t> keyMask;
    if (shape.mask == Mask::None)
        return keyMask;
    std::mt19937 generator(seed);
    for (std::int64_t batch = 0; batch < shape.batch; ++batch)
        for (std::int64_t key = 0; key < shape.keys; ++key) {
            const bool tail = shape.mask == Mask::Tail && key >= (shape.keys + 2) / 3;
            const bool random = shape.mask == Mask::Random && generator() % 3 == 0;
            const bool empty = shape.mask == Mask::OneRowEmpty && batch + 1 == shape.batch;
            keyMask.push_back(tail || random || empty ? 0 : 1);
        }
    return keyMask;
}

inline WholeAttention randomAttention(const WholeShape& shape, std::uint32_t seed) {
    const auto loud = [&](Tensor tensor) {
        const auto values = tensor.data<float>();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (static_cast<std::int64_t>(i) / shape.headDim % shape.heads % 3 == 2)
                values[i] *= shape.gain;
        return tensor;
    };
    return {
        .query = loud(randomTensor({shape.batch, shape.queries, shape.heads, shape.headDim}, seed)),
        .key = loud(randomTensor({shape.batch, shape.keys, shape.heads, shape.headDim}, seed + 1)),
        .value = randomTensor({shape.batch, shape.keys, shape.heads, shape.headDim}, seed + 2),
        .keyMask = readMask(shape, seed + 3),
        .scale = 1.0 / std::sqrt(static_cast<double>(shape.headDim)),
    };
}

}  // namespace meshreel::testing
