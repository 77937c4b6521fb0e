// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_transformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/models/model_weights.h"
#include "engine/models/modulation.h"
#include "engine/models/non_finite.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows of the transformer's own scale_shift_table.
enum OutputRow : std::int64_t { OutputShift, OutputScale, OutputRowCount };

// [1, tokens, 1, headDim], every value twice: the layout upstream keeps.
Tensor interleaved(const Tensor& perPair) {
    Tensor result = Tensor::empty({1, perPair.extent(0), 1, perPair.extent(1) * 2});
    const auto from = perPair.data<float>();
    const auto to = result.data<float>();
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = from[i / 2];
    return result;
}

}  // namespace

WanTransformer::WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                               AttentionSettings attention)
    : m_config(config),
      m_attention(attention),
      m_patches(config, checkpoint),
      m_condition(config, checkpoint),
      m_scaleShift(loadF32(checkpoint, "scale_shift_table", {1, OutputRowCount, config.innerDim()})) {
    for (std::int64_t index = 0; index < config.layers; ++index)
        m_blocks.emplace_back(config, checkpoint, index);
}

TextContext WanTransformer::prepareText(const Execution& execution, const Tensor& text,
                                        const Probe& probe) const {
    if (text.shape().rank() != 3 || text.extent(2) != m_config.textDim)
        throw Error(ErrorKind::Input,
                    fmt::format("The transformer needs text embeddings [batch, tokens, {}], got {}",
                                m_config.textDim, text.shape().text()),
                    "text encoder", "Use the text encoder that belongs to the transformer");
    const auto span = traceSpan(execution.trace, "condition_embedder");
    const Tensor embedded = m_condition.embedText(execution, text.toF32());
    if (probe)
        probe("text_embed", embedded);
    TextContext context{.batch = text.extent(0), .tokens = text.extent(1), .keys = {}, .values = {}};
    for (const WanBlock& block : m_blocks) {
        throwIfStopped(execution.stop);
        context.keys.push_back(block.textKeys(execution, embedded));
        context.values.push_back(block.textValues(execution, embedded));
    }
    return context;
}

Tensor WanTransformer::forward(const Execution& execution, const Tensor& latents, const Tensor& timesteps,
                               const Tensor& text, const Probe& probe) const {
    return forward(execution, latents, timesteps, prepareText(execution, text, probe), probe);
}

Tensor WanTransformer::forward(const Execution& execution, const Tensor& latents, const Tensor& timesteps,
                               const TextContext& text, const Probe& probe) const {
    const auto whole = traceSpan(execution.trace, "WanModel");
    const TokenGrid grid = m_patches.grid(latents.shape());
    requireOnePerVideo(latents.extent(0), timesteps, text);

    const RotaryTable rotary = makeRotary(execution, grid, probe);
    WanWorkspace work(m_config, latents.extent(0), grid.tokens());
    {
        const auto span = traceSpan(execution.trace, "patch_embedding");
        m_patches.embed(execution, latents.toF32(), work.hidden);
    }
    if (probe)
        probe("patch_embed", work.hidden);
    const WanConditionEmbedder::Time time = embedTime(execution, timesteps, probe);

    for (std::size_t index = 0; index < m_blocks.size(); ++index) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("transformer_block {}", index));
        m_blocks[index].forward(execution,
                                {.attention = m_attention,
                                 .rotary = rotary,
                                 .timestepProjection = time.projection,
                                 .textKeys = text.keys[index],
                                 .textValues = text.values[index],
                                 .probe = probe},
                                work);
        requireFinite(execution, work.hidden.data<float>(), fmt::format("block {}", index));
    }
    return project(execution, time.embedding, grid, probe, work);
}

void WanTransformer::requireOnePerVideo(std::int64_t batch, const Tensor& timesteps,
                                        const TextContext& text) const {
    if (timesteps.shape() != Shape{batch})
        throw Error(ErrorKind::Input,
                    fmt::format("Latents of {} videos need as many timesteps, got {}", batch,
                                timesteps.shape().text()),
                    "timesteps",
                    "Timesteps of each token belong to TI2V models, which this version does not run");
    if (text.batch != batch || text.keys.size() != m_blocks.size())
        throw Error(ErrorKind::Internal,
                    fmt::format("Latents of {} videos and {} blocks got text of {} prompts for {} blocks",
                                batch, m_blocks.size(), text.batch, text.keys.size()));
}

RotaryTable WanTransformer::makeRotary(const Execution& execution, const TokenGrid& grid,
                                       const Probe& probe) const {
    const auto span = traceSpan(execution.trace, "rotary_embedding");
    RotaryTable rotary = rotaryTable(grid, m_config.headDim);
    if (probe) {
        probe("rope_cos", interleaved(rotary.cos));
        probe("rope_sin", interleaved(rotary.sin));
    }
    return rotary;
}

WanConditionEmbedder::Time WanTransformer::embedTime(const Execution& execution, const Tensor& timesteps,
                                                     const Probe& probe) const {
    const auto span = traceSpan(execution.trace, "condition_embedder");
    return m_condition.embedTime(execution, timesteps.toF32(), probe);
}

Tensor WanTransformer::project(const Execution& execution, const Tensor& timeEmbedding, const TokenGrid& grid,
                               const Probe& probe, WanWorkspace& work) const {
    const auto span = traceSpan(execution.trace, "output_projection");
    const Modulation modulation(m_scaleShift, timeEmbedding);
    modulation.norm(execution, work.hidden, m_config.epsilon, OutputShift, OutputScale, work.normed);
    const Tensor projected = m_patches.project(execution, work.normed);
    if (probe) {
        probe("proj_in", work.normed);
        probe("proj_out", projected);
    }
    return m_patches.assemble(execution, projected, grid);
}

}  // namespace meshreel
