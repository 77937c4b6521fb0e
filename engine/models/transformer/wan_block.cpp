// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows of scale_shift_table.
enum ModulationRow : std::int64_t { SelfShift, SelfScale, SelfGate, FeedShift, FeedScale, FeedGate };

// Heads beside each other: [batch · tokens, heads · headDim].
MatrixSpan headRows(Tensor& x) {
    const std::int64_t width = x.extent(2) * x.extent(3);
    return {x.raw(), x.dtype(), {.rows = x.extent(0) * x.extent(1), .width = width, .stride = width}};
}

void affineNorm(const Execution& execution, const Tensor& x, double epsilon, const Tensor& weight,
                const Tensor& bias, Tensor& y) {
    const auto span = traceSpan(execution.trace, "layer_norm", "norm");
    layerNorm(execution, MatrixView(x), epsilon, weight.data<float>(), bias.data<float>(), MatrixSpan(y));
}

// The output projection of what was attended, added to the residual stream.
void addHeads(const RowParallelLinear& output, Tensor& attended, ResidualSum& sum) {
    const MatrixView rows = headRows(attended);
    const std::int64_t tokens = attended.extent(1);
    for (std::int64_t video = 0; video < attended.extent(0); ++video)
        sum.add(output, video, 0, rows.slice(video * tokens, tokens));
    sum.finish();
}

void attendHeads(Device& device, const AttentionSettings& settings, ShardedAttentionInputs inputs,
                 WanWorkspace& work, Tensor& out) {
    const auto span = traceSpan(device.execution().trace, "apply_attention");
    inputs.query = work.query;
    inputs.scale = 1.0F / std::sqrt(static_cast<float>(work.query.extent(3)));
    attendSharded(device, settings, inputs, out, work.scratch);
}

// To keys that no step changes.
void attendContext(Device& device, const WanBlockInputs& inputs, const CrossAttention& attention,
                   const CrossKeyValue& keys, WanWorkspace& work, Tensor& out) {
    attendHeads(device, attention.settings,
                {.queryLength = inputs.tokens,
                 .keyLength = attention.tokens.count,
                 .keysSharded = inputs.crossSharded,
                 .query = {},
                 .key = keys.key,
                 .value = keys.value,
                 .lastKeyCount = attention.tokens.lastCount},
                work, out);
}

}  // namespace

WanBlock::WanBlock(const WanTransformerConfig& config, const WanPrecision& precision,
                   const LayerTensors& tensors, std::string name, const Device& device)
    : m_config(config),
      m_precision(precision),
      m_name(std::move(name)),
      m_self(config, precision, tensors, "attn1", device),
      m_cross(config, precision, tensors, "attn2", device, config.addedKvDim > 0),
      m_crossNormWeight(config.crossAttentionNorm ? tensors.get("norm2.weight") : Tensor()),
      m_crossNormBias(config.crossAttentionNorm ? tensors.get("norm2.bias") : Tensor()),
      m_up(tensors.linear("ffn.net.0.proj", precision.linears())),
      m_down(tensors, "ffn.net.2", precision.linears(), device),
      m_scaleShift(tensors.get("scale_shift_table")) {}

CrossKeyValue WanBlock::emptyKeyValue(Device& device, const Tensor& tokens) const {
    const std::int64_t heads = m_config.heads / device.along(MeshAxis::Tensor).size();
    const Shape shape{tokens.extent(0), tokens.extent(1), heads, m_config.headDim};
    return {.key = Tensor::empty(shape, m_precision.activations),
            .value = Tensor::empty(shape, m_precision.activations)};
}

BlockContext WanBlock::contextOf(Device& device, const Tensor& text,
                                 const std::optional<Tensor>& image) const {
    BlockContext result{.text = emptyKeyValue(device, text), .image = {}};
    m_cross.projectKeyValue(device, MatrixView(text), headRows(result.text.key), headRows(result.text.value));
    if (image) {
        result.image = emptyKeyValue(device, *image);
        m_cross.projectAddedKeyValue(device, MatrixView(*image), headRows(result.image->key),
                                     headRows(result.image->value));
    }
    return result;
}

void WanBlock::report(const Probe& probe, std::string_view name, const Tensor& value) const {
    if (probe)
        probe(fmt::format("{}.{}", m_name, name), value);
}

ResidualSum WanBlock::residualSum(Device& device, const WanBlockInputs& inputs, const ResidualGate& gate,
                                  WanWorkspace& work, std::string_view name) const {
    std::function<void(const Tensor&)> seen;
    if (inputs.probe)
        seen = [this, &inputs, name](const Tensor& sum) { report(inputs.probe, name, sum); };
    return {device, work, gate, std::move(seen)};
}

void WanBlock::selfAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const Modulation modulation(m_scaleShift, inputs.timestepProjection, inputs.times);
    const auto span = traceSpan(execution.trace, "self_attn");
    modulation.norm(execution, work.hidden, m_config.epsilon, SelfShift, SelfScale, work.normed);
    m_self.project(device, MatrixView(work.normed), inputs.rotary, headRows(work.query), headRows(work.key),
                   headRows(work.value));
    attendHeads(device, inputs.selfAttention,
                {.queryLength = inputs.tokens,
                 .keyLength = inputs.tokens,
                 .keysSharded = true,
                 .query = {},
                 .key = work.key,
                 .value = work.value},
                work, work.attended);
    ResidualSum sum = residualSum(device, inputs, {&modulation, SelfGate}, work, "attn1_out");
    addHeads(m_self.output(), work.attended, sum);
}

void WanBlock::crossAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "cross_attn");
    if (m_config.crossAttentionNorm)
        affineNorm(execution, work.hidden, m_config.epsilon, m_crossNormWeight, m_crossNormBias, work.normed);
    const Tensor& queried = m_config.crossAttentionNorm ? work.normed : work.hidden;
    m_cross.projectQuery(device, MatrixView(queried), headRows(work.query));
    attendContext(device, inputs, inputs.text, inputs.context.text, work, work.attended);
    if (inputs.context.image)
        addImageAttention(device, inputs, work);
    ResidualSum sum = residualSum(device, inputs, {}, work, "attn2_out");
    addHeads(m_cross.output(), work.attended, sum);
}

// Queries of cross-attention leave self-attention's keys free.
void WanBlock::addImageAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    Tensor& ofImage = work.key;
    attendContext(device, inputs, inputs.image, *inputs.context.image, work, ofImage);
    addRows(device.execution(), headRows(work.attended), headRows(ofImage));
}

// In tiles of tokens: what they have between the two products does not fit the caches, nor for long videos
// much memory.
void WanBlock::feedForward(Device& device, const WanBlockInputs& inputs, const Modulation& modulation,
                           WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "mlp");
    modulation.norm(execution, work.hidden, m_config.epsilon, FeedShift, FeedScale, work.normed);
    ResidualSum sum = residualSum(device, inputs, {&modulation, FeedGate}, work, "ffn_out");
    const MatrixView normed(work.normed);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        for (std::int64_t first = 0; first < work.tokens(); first += WanWorkspace::feedForwardTokens) {
            const std::int64_t count = std::min(WanWorkspace::feedForwardTokens, work.tokens() - first);
            const MatrixSpan features = MatrixSpan(work.feedForward).slice(0, count);
            m_up.apply(execution, normed.slice(video * work.tokens() + first, count), features,
                       {.activation = LinearActivation::GeluTanh});
            sum.add(m_down, video, first, features);
        }
    sum.finish();
}

void WanBlock::finish(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    const Modulation modulation(m_scaleShift, inputs.timestepProjection, inputs.times);
    crossAttention(device, inputs, work);
    feedForward(device, inputs, modulation, work);
    report(inputs.probe, "out", work.hidden);
}

}  // namespace meshreel
