// SPDX-License-Identifier: GPL-3.0-or-later
// The attention of attention/local_attention.h on a GPU. Every kernel of a plan that runs there is the same:
// a running maximum, sums in f32, and blocks that belong to the shader.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu.h"
#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

static_assert(HeadsOnGpu::widest == GpuAttentionInputs::widestHead &&
              HeadsOnGpu::step == GpuAttentionInputs::headStep);

/// Returns the rows of one batch element, with heads side by side.
MatrixView gpuRows(const HeadTensor& tensor, std::int64_t batch) {
    if (tensor.order != HeadOrder::ByToken)
        throw Error(ErrorKind::Internal, "attention on a GPU takes heads beside each other");
    const std::int64_t width = tensor.heads() * tensor.headDim();
    const MatrixLayout rows{.rows = tensor.batch() * tensor.tokens(), .width = width, .stride = width};
    return MatrixView(tensor.data.address(), tensor.data.dtype(), rows, tensor.data.memory())
        .slice(batch * tensor.tokens(), tensor.tokens());
}

/// Sends the mask of a batch element's keys as words, 0 for masked ones; returns 0 without a mask.
GpuAddress sendKeyMarks(const OnVulkan& on, const LocalAttention& attention, std::int64_t batch) {
    if (attention.keyMask == nullptr)
        return 0;
    const std::uint8_t* const keyMask =
        attention.keyMask + batch * attention.keyMaskStride + attention.firstKey;
    std::vector<float>& marks = operationsOf(on.pipelines()).keyMarks;
    marks.resize(static_cast<std::size_t>(attention.keyCount()));
    std::transform(keyMask, keyMask + marks.size(), marks.begin(),
                   [](std::uint8_t kept) { return kept != 0 ? 1.0F : 0.0F; });
    return gpuVector(on.gpu, marks);
}

/// Sends a bias by frame for what is recorded next, in units of base 2.
GpuFrameBias gpuFrameBias(const OnVulkan& on, const FrameBias& bias) {
    std::vector<float> inBase(bias.ofFrames.begin(), bias.ofFrames.end());
    for (float& value : inBase)
        value *= std::numbers::log2e_v<float>;
    return {.ofFrames = gpuVector(on.gpu, inBase),
            .firstToken = bias.firstToken,
            .tokensPerFrame = bias.tokensPerFrame};
}

/// One batch element's part of a partial's tensors: f32 [batch, heads, queries, headDim], and twice
/// [batch, heads, queries].
GpuAttentionPartial gpuPartial(const Tensor& output, const Tensor& maximum, const Tensor& sum,
                               std::int64_t batch) {
    const auto addressOf = [batch](const Tensor& tensor) {
        const std::size_t ofBatch = tensor.bytes() / static_cast<std::size_t>(tensor.extent(0));
        return reinterpret_cast<GpuAddress>(tensor.address()) + static_cast<std::size_t>(batch) * ofBatch;
    };
    return {.heads = output.extent(1),
            .queries = output.extent(2),
            .headDim = output.extent(3),
            .output = addressOf(output),
            .maximum = addressOf(maximum),
            .sum = addressOf(sum)};
}

}  // namespace

void AttentionAccumulator::reserveOn(const OnVulkan& /*on*/, ScratchArena& scratch) {
    if (!rowOf(m_plan.kernel).runsOn.gpu)
        throw Error(ErrorKind::Internal,
                    fmt::format("A GPU has no attention kernel {}", rowOf(m_plan.kernel).name));
    if (m_parts == 1)
        return;
    const Shape statistics{m_out.batch(), m_out.heads(), m_out.tokens()};
    m_sums = {scratch.take(HeadTensor::shapeOf(HeadOrder::ByHead, m_out.batch(), m_out.tokens(),
                                               m_out.heads(), m_out.headDim())),
              HeadOrder::ByHead};
    m_partSums = scratch.take(m_sums.data.shape());
    m_partMaximum = scratch.take(statistics);
    m_partSum = scratch.take(statistics);
    m_maximum = scratch.take(statistics);
    m_sum = scratch.take(statistics);
}

// A GPU's kernel bounds no scores: there is nothing to record.
void AttentionAccumulator::addOn(const OnVulkan& on, const LocalAttention& attention,
                                 const std::optional<FixedMRecord>& /*record*/) {
    if (attention.sparse != nullptr)
        throw Error(ErrorKind::Internal, "A GPU has no kernel for block-sparse attention");
    if (m_out.tokens() == 0)
        return;
    const bool isEmpty = attention.keyCount() == 0;
    const PreparedAttention& prepared = attentionOf(on.pipelines(), attention.query.headDim());
    for (std::int64_t batch = 0; batch < m_out.batch(); ++batch) {
        const MatrixView query = gpuRows(attention.query, batch);
        const MatrixView key = gpuRows(attention.key, batch).slice(attention.firstKey, attention.keyCount());
        const MatrixView value =
            gpuRows(attention.value, batch).slice(attention.firstKey, attention.keyCount());
        const MatrixView result = gpuRows(m_out, batch);
        static_cast<void>(operandDevice(on.execution, {result, query, key, value}));
        const GpuAttentionInputs problem{.heads = attention.query.heads(),
                                         .headDim = attention.query.headDim(),
                                         .q = gpuMatrix(query),
                                         .k = gpuMatrix(key),
                                         .v = gpuMatrix(value),
                                         .scale = attention.scale,
                                         .keyMask = sendKeyMarks(on, attention, batch),
                                         .lastKeyCount = attention.lastKeyCount,
                                         .bias = gpuVector(on.gpu, attention.bias),
                                         .biasStride = attention.query.tokens() + attention.keyCount() - 1};
        if (m_parts == 1) {
            meshreel::attend(on.stream(), prepared, problem, gpuMatrix(result));
            continue;
        }
        const GpuAttentionPartial all = gpuPartial(m_sums.data, m_maximum, m_sum, batch);
        if (!isEmpty) {
            const GpuAttentionPartial part = gpuPartial(m_partSums, m_partMaximum, m_partSum, batch);
            meshreel::attend(on.stream(), prepared, problem, m_first ? all : part);
            const GpuFrameBias bias = gpuFrameBias(on, attention.frameBias);
            if (!m_first)
                mergePartials(on.stream(), prepared, all, part, bias);
            else if (bias.ofFrames != 0)
                addFrameBias(on.stream(), prepared, all, bias);
        }
        if (m_partsLeft == 0)
            finalizePartial(on.stream(), prepared, all, gpuMatrix(result));
    }
    m_first = m_first && isEmpty;
}

void AttentionAccumulator::addPairsOn(const OnVulkan& on, const LocalAttention& attention,
                                      std::span<const QueryKeyPair> pairs) {
    if (m_out.tokens() == 0)
        return;
    constexpr std::array hidden{0.0F};  // the mark of one masked key
    const PreparedAttention& prepared = attentionOf(on.pipelines(), attention.query.headDim());
    for (std::int64_t batch = 0; batch < m_out.batch(); ++batch) {
        const MatrixView query = gpuRows(attention.query, batch);
        const MatrixView key = gpuRows(attention.key, batch);
        const MatrixView value = gpuRows(attention.value, batch);
        const MatrixView result = gpuRows(m_out, batch);
        static_cast<void>(operandDevice(on.execution, {result, query, key, value}));
        const GpuAttentionPartial all = gpuPartial(m_sums.data, m_maximum, m_sum, batch);
        const GpuAttentionPartial part =
            m_first ? all : gpuPartial(m_partSums, m_partMaximum, m_partSum, batch);
        const auto attendTo = [&](std::int64_t firstQuery, std::int64_t queries, const MatrixView& keys,
                                  const MatrixView& values, GpuAddress keyMask) {
            if (queries == 0)
                return;
            const GpuAttentionInputs problem{.heads = attention.query.heads(),
                                             .headDim = attention.query.headDim(),
                                             .q = gpuMatrix(query),
                                             .k = gpuMatrix(keys),
                                             .v = gpuMatrix(values),
                                             .scale = attention.scale,
                                             .keyMask = keyMask,
                                             .firstQuery = firstQuery,
                                             .queries = queries};
            meshreel::attend(on.stream(), prepared, problem, part);
        };
        // Queries of no pair see one masked key, whichever it is.
        const auto attendToNothing = [&](std::int64_t begin, std::int64_t end) {
            if (begin < end)
                attendTo(begin, end - begin, query.slice(0, 1), query.slice(0, 1), gpuVector(on.gpu, hidden));
        };
        // In ascending order: each range overwrites what the one before has written into it.
        std::int64_t done = 0;
        for (const QueryKeyPair& pair : pairs) {
            attendToNothing(done, pair.firstQuery);
            attendTo(pair.firstQuery, pair.queries, key.slice(pair.firstKey, pair.keys),
                     value.slice(pair.firstKey, pair.keys), 0);
            done = pair.firstQuery + pair.queries;
        }
        attendToNothing(done, m_out.tokens());
        if (!m_first)
            mergePartials(on.stream(), prepared, all, part);
        finalizePartial(on.stream(), prepared, all, gpuMatrix(result));
    }
}

}  // namespace meshreel
