// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/sound/audio_injector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/kernels/attention/group_attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/tensor/matrix_view.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr double injectorNormEpsilon = 1e-5;  // that of diffusers' AdaLayerNorm

// Heads beside each other: [batch · tokens, heads · headDim].
MatrixSpan injectorRows(Tensor& x) {
    Tensor rows = x.reshaped({x.extent(0) * x.extent(1), x.extent(2) * x.extent(3)});
    return MatrixSpan(rows);
}

// The beginning of a buffer under another number of tokens for each video.
Tensor frontOf(const Tensor& buffer, const Shape& shape) {
    return buffer.part(0, shape, buffer.dtype());
}

}  // namespace

AudioInjector::AudioInjector(const WanTransformerConfig& config, const WanPrecision& precision,
                             const LayerSlots& slots, std::int64_t index)
    : m_heads(config.heads),
      m_headDim(config.headDim),
      m_activations(precision.activations),
      m_name(fmt::format("inject{}", index)),
      m_attention(config, slots, "attn"),
      m_scaleShift(slots.linear("norm.linear")) {}

InjectorContext AudioInjector::makeContext(Device& device, const LayerTensors& weights,
                                           const SoundTokens& sound) const {
    const Execution& execution = device.execution();
    Memory* const memory = execution.memory();
    const std::int64_t batch = sound.global.extent(0);
    const std::int64_t frames = sound.global.extent(1);
    const std::int64_t innerDim = sound.global.extent(2);
    // Shift, then scale, of what a frame's tokens are normed to.
    Tensor activated = sound.global.clone();
    activate(execution, silu, activated.data<float>());
    Tensor vectors = Tensor::empty({batch, frames, 2 * innerDim}, DType::F32, memory);
    weights.matrix(m_scaleShift).apply(execution, MatrixView(activated.in(memory)), MatrixSpan(vectors));
    vectors = vectors.host();
    for (std::int64_t row = 0; row < batch * frames; ++row)
        for (float& scale : MatrixSpan(vectors).row<float>(row).last(static_cast<std::size_t>(innerDim)))
            scale += 1.0F;

    const Tensor local = sound.local.reshaped({batch, frames * sound.local.extent(2), innerDim}).in(memory);
    const Shape shape{batch, local.extent(1), m_heads / device.along(MeshAxis::Tensor).size(), m_headDim};
    InjectorContext context{.tokens = {.key = Tensor::empty(shape, m_activations, memory),
                                       .value = Tensor::empty(shape, m_activations, memory)},
                            .shiftScale = std::move(vectors)};
    m_attention.projectKeyValue(device, weights, MatrixView(local), injectorRows(context.tokens.key),
                                injectorRows(context.tokens.value));
    return context;
}

void AudioInjector::norm(Device& device, const InjectorContext& sound, const HearingTokens& tokens,
                         WanWorkspace& work, Tensor& normed) const {
    const auto width = static_cast<std::size_t>(normed.extent(2));
    const std::int64_t frames = sound.shiftScale.extent(1);
    const MatrixView hidden(work.hidden);
    const MatrixSpan to(normed);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        for (std::int64_t token = 0; token < tokens.count;) {
            const std::int64_t frame = (tokens.firstToken + token) / tokens.tokensPerFrame;
            const std::int64_t endOfFrame = (frame + 1) * tokens.tokensPerFrame - tokens.firstToken;
            const std::int64_t count = std::min(tokens.count, endOfFrame) - token;
            const auto vectors = MatrixView(sound.shiftScale).row<float>(video * frames + frame);
            modulatedNorm(device.execution(), hidden.slice(video * work.tokens() + token, count),
                          injectorNormEpsilon, vectors.last(width), vectors.first(width),
                          to.slice(video * tokens.count + token, count));
            token += count;
        }
}

// Within the product itself where nothing has to see the sum first.
void AudioInjector::addResidual(Device& device, const LayerTensors& weights, const Tensor& attended,
                                const HearingTokens& tokens, WanWorkspace& work, const Probe& probe) const {
    const Execution& execution = device.execution();
    const PackedMatrix& output = m_attention.output(weights);
    Tensor from = attended;
    const MatrixView rows = injectorRows(from);
    const auto hearing = [&](std::int64_t video) {
        return MatrixSpan(work.hidden).slice(video * work.tokens(), tokens.count);
    };
    Communicator& heads = device.along(MeshAxis::Tensor);
    if (heads.size() == 1 && !probe) {
        for (std::int64_t video = 0; video < work.batch(); ++video)
            output.apply(execution, rows.slice(video * tokens.count, tokens.count), hearing(video),
                         {.gate = tokens.gate, .addToOutput = true});
        return;
    }
    Tensor sum =
        Tensor::empty({work.batch(), tokens.count, work.hidden.extent(2)}, DType::F32, work.hidden.memory());
    output.apply(execution, rows, MatrixSpan(sum));
    if (heads.size() > 1)
        heads.allReduceSum(sum.data<float>());
    if (probe)
        probe(m_name + ".residual", sum.host());
    for (std::int64_t video = 0; video < work.batch(); ++video) {
        const MatrixView own = MatrixView(sum).slice(video * tokens.count, tokens.count);
        if (tokens.gate.empty())
            addRows(execution, hearing(video), own);
        else
            addGated(execution, hearing(video), own, tokens.gate);
    }
}

void AudioInjector::run(Device& device, const LayerTensors& weights, const InjectorContext& sound,
                        const HearingTokens& tokens, WanWorkspace& work, const Probe& probe) const {
    if (tokens.count == 0)
        return;
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, m_name);
    Tensor normed = frontOf(work.normed, {work.batch(), tokens.count, work.hidden.extent(2)});
    norm(device, sound, tokens, work, normed);
    const Shape heads = work.query.shape().with(1, tokens.count);
    Tensor query = frontOf(work.query, heads);
    Tensor attended = frontOf(work.attended, heads);
    m_attention.projectQuery(device, weights, MatrixView(normed), injectorRows(query));
    Tensor key = sound.tokens.key;
    Tensor value = sound.tokens.value;
    attendInGroups(execution,
                   {.heads = query.extent(2),
                    .headDim = query.extent(3),
                    .sequences = work.batch(),
                    .q = injectorRows(query),
                    .k = injectorRows(key),
                    .v = injectorRows(value),
                    .groupQueries = tokens.tokensPerFrame,
                    .groupKeys = tokens.keysPerFrame,
                    .firstQuery = tokens.firstToken},
                   injectorRows(attended));
    addResidual(device, weights, attended, tokens, work, probe);
}

}  // namespace meshreel
