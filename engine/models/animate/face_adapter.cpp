// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/animate/face_adapter.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/kernels/attention/group_attention.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/tensor/matrix_view.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Heads beside each other: [batch · tokens, heads · headDim].
MatrixSpan faceHeadRows(Tensor& x) {
    Tensor rows = x.reshaped({x.extent(0) * x.extent(1), x.extent(2) * x.extent(3)});
    return MatrixSpan(rows);
}

/// Each query to the keys of its frame.
void attendOwnFrames(const Execution& execution, const CrossKeyValue& faces, const FaceTokens& tokens,
                     WanWorkspace& work) {
    Tensor key = faces.key;
    Tensor value = faces.value;
    attendInGroups(execution,
                   {.heads = work.query.extent(2),
                    .headDim = work.query.extent(3),
                    .sequences = work.batch(),
                    .q = faceHeadRows(work.query),
                    .k = faceHeadRows(key),
                    .v = faceHeadRows(value),
                    .groupQueries = tokens.tokensPerFrame,
                    .groupKeys = tokens.keysPerFrame,
                    .firstQuery = tokens.firstToken},
                   faceHeadRows(work.attended));
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
        {.headDim = m_headDim, .gamma = MatrixView(weight), .fullWidth = m_headDim, .epsilon = m_epsilon});
}

CrossKeyValue FaceAdapter::keyValue(Device& device, const LayerTensors& weights, const Tensor& faces) const {
    const Execution& execution = device.execution();
    Tensor normed = Tensor::empty(faces.shape(), DType::F32, faces.memory());
    layerNorm(execution, MatrixView(faces), m_epsilon, MatrixSpan(normed));
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
    layerNorm(execution, MatrixView(work.hidden), m_epsilon, MatrixSpan(work.normed));
    weights.matrix(m_query).apply(execution, MatrixView(work.normed), faceHeadRows(work.query));
    normHeads(execution, work.query, weights.at(m_queryNorm));
    attendOwnFrames(execution, faces, tokens, work);
    ResidualSum sum(device, work, {}, {.probe = &probe, .prefix = m_name, .name = ".out"});
    const MatrixView rows = faceHeadRows(work.attended);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        sum.add(weights.matrix(m_output), video, 0, rows.slice(video * work.tokens(), work.tokens()));
    sum.finish();
}

}  // namespace meshreel
