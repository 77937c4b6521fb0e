// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_block.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/kernels/activations.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/norms.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows of scale_shift_table.
enum ModulationRow : std::int64_t { SelfShift, SelfScale, SelfGate, FeedShift, FeedScale, FeedGate };

void attendHeads(Device& device, const AttentionSettings& settings, ShardedAttentionInputs inputs,
                 WanWorkspace& work) {
    const auto span = traceSpan(device.execution().trace, "apply_attention");
    inputs.query = work.query;
    inputs.scale = 1.0F / std::sqrt(static_cast<float>(work.query.extent(3)));
    attendSharded(device, settings, inputs, work.attended, work.scratch);
}

}  // namespace

WanBlock::WanBlock(const WanTransformerConfig& config, const LayerTensors& tensors, std::int64_t index,
                   const Device& device)
    : m_config(config),
      m_name(fmt::format("block{}", index)),
      m_self(config, tensors, "attn1", device),
      m_cross(config, tensors, "attn2", device),
      m_crossNormWeight(config.crossAttentionNorm ? tensors.get("norm2.weight") : Tensor()),
      m_crossNormBias(config.crossAttentionNorm ? tensors.get("norm2.bias") : Tensor()),
      m_up(tensors.linear("ffn.net.0.proj")),
      m_down(tensors, "ffn.net.2", device),
      m_scaleShift(tensors.get("scale_shift_table")) {}

TextKeyValue WanBlock::textKeyValue(Device& device, const Tensor& text) const {
    const std::int64_t heads = m_config.heads / device.along(MeshAxis::Tensor).size();
    const Shape shape{text.extent(0), text.extent(1), heads, m_config.headDim};
    TextKeyValue result{.key = Tensor::empty(shape), .value = Tensor::empty(shape)};
    m_cross.projectKeyValue(device, text.data<float>(), result.key.data<float>(), result.value.data<float>());
    return result;
}

void WanBlock::report(const Probe& probe, std::string_view name, const Tensor& value) const {
    if (probe)
        probe(fmt::format("{}.{}", m_name, name), value);
}

void WanBlock::selfAttention(Device& device, const WanBlockInputs& inputs, const Modulation& modulation,
                             WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "self_attn");
    modulation.norm(execution, work.hidden, m_config.epsilon, SelfShift, SelfScale, work.normed);
    m_self.project(device, work.normed.data<float>(), work.query.data<float>(), work.key.data<float>(),
                   work.value.data<float>());
    applyRotary(execution, inputs.rotary, work.query.extent(2), work.query.data<float>());
    applyRotary(execution, inputs.rotary, work.key.extent(2), work.key.data<float>());
    attendHeads(device, inputs.selfAttention,
                {.queryLength = inputs.tokens,
                 .keyLength = inputs.tokens,
                 .keysSharded = true,
                 .query = {},
                 .key = work.key,
                 .value = work.value},
                work);
    m_self.output(device, work.attended.data<float>(), work.normed.data<float>());
    report(inputs.probe, "attn1_out", work.normed);
    modulation.addGated(execution, work.hidden, work.normed, SelfGate);
}

void WanBlock::crossAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "cross_attn");
    if (m_config.crossAttentionNorm)
        layerNorm(execution, work.hidden.data<float>(), m_config.innerDim(), m_config.epsilon,
                  m_crossNormWeight.data<float>(), m_crossNormBias.data<float>(), work.normed.data<float>());
    const Tensor& queried = m_config.crossAttentionNorm ? work.normed : work.hidden;
    m_cross.projectQuery(device, queried.data<float>(), work.query.data<float>());
    attendHeads(device, inputs.crossAttention,
                {.queryLength = inputs.tokens,
                 .keyLength = inputs.textTokens,
                 .keysSharded = inputs.textSharded,
                 .query = {},
                 .key = inputs.text.key,
                 .value = inputs.text.value},
                work);
    m_cross.output(device, work.attended.data<float>(), work.normed.data<float>());
    report(inputs.probe, "attn2_out", work.normed);
    addInPlace(execution, work.hidden.data<float>(), work.normed.data<float>());
}

void WanBlock::feedForward(Device& device, const WanBlockInputs& inputs, const Modulation& modulation,
                           WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "mlp");
    modulation.norm(execution, work.hidden, m_config.epsilon, FeedShift, FeedScale, work.normed);
    m_up.apply(execution, work.normed.data<float>(), work.rows(), work.feedForward.data<float>());
    activate(execution, geluTanh, work.feedForward.data<float>());
    m_down.apply(device, work.feedForward.data<float>(), work.rows(), work.normed.data<float>());
    report(inputs.probe, "ffn_out", work.normed);
    modulation.addGated(execution, work.hidden, work.normed, FeedGate);
}

void WanBlock::forward(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Modulation modulation(m_scaleShift, inputs.timestepProjection);
    selfAttention(device, inputs, modulation, work);
    crossAttention(device, inputs, work);
    feedForward(device, inputs, modulation, work);
    report(inputs.probe, "out", work.hidden);
}

}  // namespace meshreel
