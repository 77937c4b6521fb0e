// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_block.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/kernels/activations.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/norms.h"
#include "engine/models/model_weights.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows of scale_shift_table.
enum ModulationRow : std::int64_t {
    SelfShift,
    SelfScale,
    SelfGate,
    FeedShift,
    FeedScale,
    FeedGate,
    ModulationRows
};

std::optional<Tensor> loadNorm(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                               const std::string& name) {
    if (!config.qkNorm && !checkpoint.has(name))
        return std::nullopt;
    return loadF32(checkpoint, name, {config.innerDim()});
}

Tensor loadCrossNorm(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                     const std::string& name) {
    return config.crossAttentionNorm ? loadF32(checkpoint, name, {config.innerDim()}) : Tensor();
}

}  // namespace

WanWorkspace::WanWorkspace(const WanTransformerConfig& config, std::int64_t batch, std::int64_t tokens)
    : hidden(Tensor::empty({batch, tokens, config.innerDim()})),
      normed(Tensor::empty(hidden.shape())),
      query(Tensor::empty(hidden.shape())),
      key(Tensor::empty(hidden.shape())),
      value(Tensor::empty(hidden.shape())),
      attended(Tensor::empty(hidden.shape())),
      projected(Tensor::empty(hidden.shape())),
      feedForward(Tensor::empty({batch, tokens, config.ffnDim})) {}

WanAttentionWeights::WanAttentionWeights(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                                         const std::string& prefix)
    : m_epsilon(config.epsilon),
      m_query(loadLinear(checkpoint, prefix + ".to_q", config.innerDim(), config.innerDim())),
      m_key(loadLinear(checkpoint, prefix + ".to_k", config.innerDim(), config.innerDim())),
      m_value(loadLinear(checkpoint, prefix + ".to_v", config.innerDim(), config.innerDim())),
      m_output(loadLinear(checkpoint, prefix + ".to_out.0", config.innerDim(), config.innerDim())),
      m_queryNorm(loadNorm(config, checkpoint, prefix + ".norm_q.weight")),
      m_keyNorm(loadNorm(config, checkpoint, prefix + ".norm_k.weight")) {}

void WanAttentionWeights::project(const Execution& execution, const PackedMatrix& matrix,
                                  const std::optional<Tensor>& norm, std::span<const float> x,
                                  std::span<float> out) const {
    matrix.apply(execution, x, static_cast<std::int64_t>(x.size()) / matrix.inFeatures(), out);
    if (norm)
        rmsNorm(execution, out, matrix.outFeatures(), m_epsilon, norm->data<float>(), out);
}

void WanAttentionWeights::query(const Execution& execution, std::span<const float> x,
                                std::span<float> out) const {
    project(execution, m_query, m_queryNorm, x, out);
}

void WanAttentionWeights::key(const Execution& execution, std::span<const float> x,
                              std::span<float> out) const {
    project(execution, m_key, m_keyNorm, x, out);
}

void WanAttentionWeights::value(const Execution& execution, std::span<const float> x,
                                std::span<float> out) const {
    project(execution, m_value, std::nullopt, x, out);
}

void WanAttentionWeights::output(const Execution& execution, std::span<const float> x,
                                 std::span<float> out) const {
    project(execution, m_output, std::nullopt, x, out);
}

WanBlock::WanBlock(const WanTransformerConfig& config, const Checkpoint& checkpoint, std::int64_t index)
    : WanBlock(config, checkpoint, index, fmt::format("blocks.{}.", index)) {}

WanBlock::WanBlock(const WanTransformerConfig& config, const Checkpoint& checkpoint, std::int64_t index,
                   const std::string& prefix)
    : m_config(config),
      m_name(fmt::format("block{}", index)),
      m_self(config, checkpoint, prefix + "attn1"),
      m_cross(config, checkpoint, prefix + "attn2"),
      m_crossNormWeight(loadCrossNorm(config, checkpoint, prefix + "norm2.weight")),
      m_crossNormBias(loadCrossNorm(config, checkpoint, prefix + "norm2.bias")),
      m_up(loadLinear(checkpoint, prefix + "ffn.net.0.proj", config.ffnDim, config.innerDim())),
      m_down(loadLinear(checkpoint, prefix + "ffn.net.2", config.innerDim(), config.ffnDim)),
      m_scaleShift(
          loadF32(checkpoint, prefix + "scale_shift_table", {1, ModulationRows, config.innerDim()})) {}

Tensor WanBlock::textKeys(const Execution& execution, const Tensor& text) const {
    Tensor keys = Tensor::empty(text.shape());
    m_cross.key(execution, text.data<float>(), keys.data<float>());
    return keys;
}

Tensor WanBlock::textValues(const Execution& execution, const Tensor& text) const {
    Tensor values = Tensor::empty(text.shape());
    m_cross.value(execution, text.data<float>(), values.data<float>());
    return values;
}

void WanBlock::report(const Probe& probe, std::string_view name, const Tensor& value) const {
    if (probe)
        probe(fmt::format("{}.{}", m_name, name), value);
}

void WanBlock::attendHeads(const Execution& execution, const AttentionSettings& settings, const Tensor& key,
                           const Tensor& value, WanWorkspace& work) const {
    const auto span = traceSpan(execution.trace, "apply_attention");
    attend(execution, settings,
           {.batch = work.batch(),
            .heads = m_config.heads,
            .headDim = m_config.headDim,
            .queryLength = work.tokens(),
            .keyLength = key.extent(1),
            .query = work.query.data<float>(),
            .key = key.data<float>(),
            .value = value.data<float>(),
            .scale = 1.0F / std::sqrt(static_cast<float>(m_config.headDim))},
           work.attended.data<float>());
}

void WanBlock::selfAttention(const Execution& execution, const WanBlockInputs& inputs,
                             const Modulation& modulation, WanWorkspace& work) const {
    const auto span = traceSpan(execution.trace, "self_attn");
    modulation.norm(execution, work.hidden, m_config.epsilon, SelfShift, SelfScale, work.normed);
    const std::span<const float> normed = work.normed.data<float>();
    m_self.query(execution, normed, work.query.data<float>());
    m_self.key(execution, normed, work.key.data<float>());
    m_self.value(execution, normed, work.value.data<float>());
    applyRotary(execution, inputs.rotary, m_config.heads, work.query.data<float>());
    applyRotary(execution, inputs.rotary, m_config.heads, work.key.data<float>());
    attendHeads(execution, inputs.attention, work.key, work.value, work);
    m_self.output(execution, work.attended.data<float>(), work.projected.data<float>());
    report(inputs.probe, "attn1_out", work.projected);
    modulation.addGated(execution, work.hidden, work.projected, SelfGate);
}

void WanBlock::crossAttention(const Execution& execution, const WanBlockInputs& inputs,
                              WanWorkspace& work) const {
    const auto span = traceSpan(execution.trace, "cross_attn");
    if (m_config.crossAttentionNorm) {
        layerNorm(execution, work.hidden.data<float>(), m_config.innerDim(), m_config.epsilon,
                  m_crossNormWeight.data<float>(), m_crossNormBias.data<float>(), work.normed.data<float>());
        m_cross.query(execution, work.normed.data<float>(), work.query.data<float>());
    } else {
        m_cross.query(execution, work.hidden.data<float>(), work.query.data<float>());
    }
    attendHeads(execution, inputs.attention, inputs.textKeys, inputs.textValues, work);
    m_cross.output(execution, work.attended.data<float>(), work.projected.data<float>());
    report(inputs.probe, "attn2_out", work.projected);
    addInPlace(execution, work.hidden.data<float>(), work.projected.data<float>());
}

void WanBlock::feedForward(const Execution& execution, const WanBlockInputs& inputs,
                           const Modulation& modulation, WanWorkspace& work) const {
    const auto span = traceSpan(execution.trace, "mlp");
    modulation.norm(execution, work.hidden, m_config.epsilon, FeedShift, FeedScale, work.normed);
    m_up.apply(execution, work.normed.data<float>(), work.rows(), work.feedForward.data<float>());
    activate(execution, geluTanh, work.feedForward.data<float>());
    m_down.apply(execution, work.feedForward.data<float>(), work.rows(), work.projected.data<float>());
    report(inputs.probe, "ffn_out", work.projected);
    modulation.addGated(execution, work.hidden, work.projected, FeedGate);
}

void WanBlock::forward(const Execution& execution, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Modulation modulation(m_scaleShift, inputs.timestepProjection);
    selfAttention(execution, inputs, modulation, work);
    crossAttention(execution, inputs, work);
    feedForward(execution, inputs, modulation, work);
    report(inputs.probe, "out", work.hidden);
}

}  // namespace meshreel
