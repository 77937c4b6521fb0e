// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/animate/face_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Heads beside each other: [batch · tokens, heads · headDim].
MatrixSpan faceHeadRows(Tensor& x) {
    Tensor rows = x.reshaped({x.extent(0) * x.extent(1), x.extent(2) * x.extent(3)});
    return MatrixSpan(rows);
}

void plainNorm(const Execution& execution, const Tensor& x, double epsilon, Tensor& y) {
    const auto width = static_cast<std::size_t>(x.shape()[x.shape().rank() - 1]);
    const std::vector<float> ones(width, 1.0F);
    const std::vector<float> zeros(width, 0.0F);
    layerNorm(execution, MatrixView(x), epsilon, ones, zeros, MatrixSpan(y));
}

/// Attention of one query's heads to the keys of its frame, all f32 and side by side.
struct FaceAttention {
    std::size_t heads;
    std::size_t headDim;
    std::span<const float> keys;  // [keysPerFrame, heads, headDim]
    std::span<const float> values;

    void attend(std::span<const float> query, std::span<float> out, std::vector<float>& weights) const {
        const std::size_t row = heads * headDim;
        const float scale = 1.0F / std::sqrt(static_cast<float>(headDim));
        weights.resize(keys.size() / row);
        std::ranges::fill(out, 0.0F);
        for (std::size_t head = 0; head < row; head += headDim) {
            for (std::size_t key = 0; key < weights.size(); ++key) {
                float product = 0;
                for (std::size_t i = head; i < head + headDim; ++i)
                    product += query[i] * keys[key * row + i];
                weights[key] = product * scale;
            }
            softmax(weights);
            for (std::size_t key = 0; key < weights.size(); ++key)
                for (std::size_t i = head; i < head + headDim; ++i)
                    out[i] += weights[key] * values[key * row + i];
        }
    }

    static void softmax(std::span<float> scores) {
        const float largest = *std::ranges::max_element(scores);
        float sum = 0;
        for (float& score : scores)
            sum += score = std::exp(score - largest);
        for (float& score : scores)
            score /= sum;
    }
};

/// The queries of a frame, one frame after the other.
void attendOwnFramesOnGpu(const Execution& execution, const CrossKeyValue& faces, const FaceTokens& tokens,
                          WanWorkspace& work) {
    const MatrixView queries = faceHeadRows(work.query);
    const MatrixView attended = faceHeadRows(work.attended);
    Tensor key = faces.key;
    Tensor value = faces.value;
    const MatrixView keys = faceHeadRows(key);
    const MatrixView values = faceHeadRows(value);
    GpuWork& gpu = requireGpu(execution, {queries, attended, keys, values});
    const std::int64_t frames = faces.key.extent(1) / tokens.keysPerFrame;
    for (std::int64_t video = 0; video < work.batch(); ++video)
        for (std::int64_t token = 0; token < work.tokens();) {
            const std::int64_t frame = (tokens.firstToken + token) / tokens.tokensPerFrame;
            const std::int64_t end =
                std::min(work.tokens(), (frame + 1) * tokens.tokensPerFrame - tokens.firstToken);
            const std::int64_t row = video * work.tokens() + token;
            const std::int64_t first = (video * frames + frame) * tokens.keysPerFrame;
            attend(gpu.pipelines(), gpu.stream(),
                   {.heads = work.query.extent(2),
                    .headDim = work.query.extent(3),
                    .q = gpuMatrix(queries.slice(row, end - token)),
                    .k = gpuMatrix(keys.slice(first, tokens.keysPerFrame)),
                    .v = gpuMatrix(values.slice(first, tokens.keysPerFrame)),
                    .scale = 1.0 / std::sqrt(static_cast<double>(work.query.extent(3)))},
                   gpuMatrix(attended.slice(row, end - token)));
            token = end;
        }
}

void attendOwnFrames(const Execution& execution, const CrossKeyValue& faces, const FaceTokens& tokens,
                     WanWorkspace& work) {
    if (!work.query.isOnHost())
        return attendOwnFramesOnGpu(execution, faces, tokens, work);
    const Tensor keys = faces.key.toF32();
    const Tensor values = faces.value.toF32();
    const MatrixView queries = faceHeadRows(work.query);
    const MatrixSpan attended = faceHeadRows(work.attended);
    const auto width = static_cast<std::size_t>(queries.width());
    const auto ofFrame = static_cast<std::size_t>(tokens.keysPerFrame) * width;
    const std::int64_t frames = keys.extent(1) / tokens.keysPerFrame;
    execution.workers.parallelFor(queries.rows(), [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> query(width);
        std::vector<float> out(width);
        std::vector<float> weights;
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t video = row / work.tokens();
            const std::int64_t frame = (tokens.firstToken + row % work.tokens()) / tokens.tokensPerFrame;
            const std::size_t first = static_cast<std::size_t>(video * frames + frame) * ofFrame;
            const FaceAttention attention{.heads = static_cast<std::size_t>(work.query.extent(2)),
                                          .headDim = static_cast<std::size_t>(work.query.extent(3)),
                                          .keys = keys.data<float>().subspan(first, ofFrame),
                                          .values = values.data<float>().subspan(first, ofFrame)};
            queries.readRow(row, query);
            attention.attend(query, out, weights);
            attended.writeRow(row, out);
        }
    });
}

}  // namespace

FaceAdapter::FaceAdapter(const WanTransformerConfig& config, const WanPrecision& precision,
                         const LayerSlots& slots, std::int64_t index)
    : m_heads(config.heads),
      m_headDim(config.headDim),
      m_epsilon(config.epsilon),
      m_activations(precision.activations),
      m_name(fmt::format("face_adapter{}", index)),
      m_query(slots.linear("to_q")),
      m_key(slots.linear("to_k")),
      m_value(slots.linear("to_v")),
      m_output(slots.linear("to_out")),
      m_queryNorm(slots.require("norm_q.weight")),
      m_keyNorm(slots.require("norm_k.weight")) {}

// Each head by itself, unlike those of the blocks.
void FaceAdapter::normHeads(const Execution& execution, Tensor& heads, const Tensor& weight) const {
    normaliseHeads(
        execution, MatrixSpan(heads),
        {.headDim = m_headDim, .gamma = weight.data<float>(), .fullWidth = m_headDim, .epsilon = m_epsilon});
}

CrossKeyValue FaceAdapter::keyValue(Device& device, const LayerTensors& weights, const Tensor& faces) const {
    const Execution& execution = device.execution();
    Tensor normed = Tensor::empty(faces.shape(), DType::F32, faces.memory());
    plainNorm(execution, faces, m_epsilon, normed);
    const Shape shape{faces.extent(0), faces.extent(1) * faces.extent(2),
                      m_heads / device.along(MeshAxis::Tensor).size(), m_headDim};
    CrossKeyValue result{.key = Tensor::empty(shape, m_activations, faces.memory()),
                         .value = Tensor::empty(shape, m_activations, faces.memory())};
    weights.matrix(m_key).apply(execution, MatrixView(normed), faceHeadRows(result.key));
    weights.matrix(m_value).apply(execution, MatrixView(normed), faceHeadRows(result.value));
    normHeads(execution, result.key, weights.at(m_keyNorm));
    return result;
}

void FaceAdapter::run(Device& device, const LayerTensors& weights, const CrossKeyValue& faces,
                      const FaceTokens& tokens, WanWorkspace& work, const Probe& probe) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, m_name);
    plainNorm(execution, work.hidden, m_epsilon, work.normed);
    weights.matrix(m_query).apply(execution, MatrixView(work.normed), faceHeadRows(work.query));
    normHeads(execution, work.query, weights.at(m_queryNorm));
    attendOwnFrames(execution, faces, tokens, work);
    std::function<void(const Tensor&)> seen;
    if (probe)
        seen = [&](const Tensor& sum) { probe(m_name + ".out", sum); };
    ResidualSum sum(device, work, {}, std::move(seen));
    const MatrixView rows = faceHeadRows(work.attended);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        sum.add(weights.matrix(m_output), video, 0, rows.slice(video * work.tokens(), work.tokens()));
    sum.finish();
}

}  // namespace meshreel
