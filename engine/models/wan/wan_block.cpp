// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/timing/sparse_counts.h"
#include "engine/timing/trace.h"

namespace meshreel {

WanAttentionLayer::WanAttentionLayer(const WanTransformerConfig& config, const LayerSlots& slots,
                                     const std::string& prefix, bool withAdded)
    : m_innerDim(config.innerDim()),
      m_headDim(config.headDim),
      m_epsilon(config.epsilon),
      m_query(slots.linear(prefix + ".to_q")),
      m_key(slots.linear(prefix + ".to_k")),
      m_value(slots.linear(prefix + ".to_v")),
      m_output(slots.linear(prefix + ".to_out.0")),
      m_queryNorm(slots.find(prefix + ".norm_q.weight")),
      m_keyNorm(slots.find(prefix + ".norm_k.weight")),
      m_addedKey(withAdded ? std::optional(slots.linear(prefix + ".add_k_proj")) : std::nullopt),
      m_addedValue(withAdded ? std::optional(slots.linear(prefix + ".add_v_proj")) : std::nullopt),
      m_addedKeyNorm(slots.find(prefix + ".norm_added_k.weight")) {}

HeadNorm WanAttentionLayer::toNorm(const LayerTensors& weights, const Normed& normed,
                                   const RotaryTable* rotary) const {
    return {.headDim = m_headDim,
            .gamma = normed.gamma ? MatrixView(weights.at(*normed.gamma)) : MatrixView(),
            .fullWidth = m_innerDim,
            .epsilon = m_epsilon,
            .rotary = rotary};
}

// The norms are over all heads of the model: the devices of the tensor axis add up their sums of squares, in
// one exchange for all.
void WanAttentionLayer::normalise(Device& device, const LayerTensors& weights, std::span<const Normed> all,
                                  const RotaryTable* rotary) const {
    Communicator& heads = device.along(MeshAxis::Tensor);
    if (heads.size() == 1) {
        for (const Normed& normed : all)
            normaliseHeads(device.execution(), normed.values, toNorm(weights, normed, rotary));
        return;
    }
    std::int64_t rows = 0;
    for (const Normed& normed : all)
        rows += normed.gamma ? normed.values.rows() : 0;
    ScratchVector<float> squares(static_cast<std::size_t>(rows));
    const auto eachPart = [&](const auto& body) {
        std::size_t first = 0;
        for (const Normed& normed : all) {
            const auto count = static_cast<std::size_t>(normed.gamma ? normed.values.rows() : 0);
            body(normed, std::span(squares).subspan(first, count));
            first += count;
        }
    };
    eachPart([&](const Normed& normed, std::span<float> sums) {
        if (normed.gamma)
            rowSquares(device.execution(), MatrixView(normed.values), sums);
    });
    heads.allReduceSum(squares);
    eachPart([&](const Normed& normed, std::span<float> sums) {
        normaliseHeads(device.execution(), normed.values, toNorm(weights, normed, rotary), sums);
    });
}

void WanAttentionLayer::project(Device& device, const LayerTensors& weights, const MatrixView& x,
                                const RotaryTable& rotary, const MatrixSpan& query, const MatrixSpan& key,
                                const MatrixSpan& value) const {
    weights.matrix(m_query).apply(device.execution(), x, query);
    weights.matrix(m_key).apply(device.execution(), x, key);
    weights.matrix(m_value).apply(device.execution(), x, value);
    const auto span = traceSpan(device.execution().trace, "query_key_norm", "norm");
    normalise(device, weights, std::array{Normed{query, m_queryNorm}, Normed{key, m_keyNorm}}, &rotary);
}

void WanAttentionLayer::projectQuery(Device& device, const LayerTensors& weights, const MatrixView& x,
                                     const MatrixSpan& query) const {
    weights.matrix(m_query).apply(device.execution(), x, query);
    const auto span = traceSpan(device.execution().trace, "query_key_norm", "norm");
    normalise(device, weights, std::array{Normed{query, m_queryNorm}}, nullptr);
}

void WanAttentionLayer::projectKeyValue(Device& device, const LayerTensors& weights, const MatrixView& x,
                                        const MatrixSpan& key, const MatrixSpan& value) const {
    weights.matrix(m_key).apply(device.execution(), x, key);
    weights.matrix(m_value).apply(device.execution(), x, value);
    normalise(device, weights, std::array{Normed{key, m_keyNorm}}, nullptr);
}

void WanAttentionLayer::projectAddedKeyValue(Device& device, const LayerTensors& weights, const MatrixView& x,
                                             const MatrixSpan& key, const MatrixSpan& value) const {
    weights.matrix(m_addedKey.value()).apply(device.execution(), x, key);
    weights.matrix(m_addedValue.value()).apply(device.execution(), x, value);
    normalise(device, weights, std::array{Normed{key, m_addedKeyNorm}}, nullptr);
}

namespace {

// Rows of scale_shift_table.
enum ModulationRow : std::int64_t { SelfShift, SelfScale, SelfGate, FeedShift, FeedScale, FeedGate };

// Heads beside each other: [batch · tokens, heads · headDim].
MatrixSpan headRows(Tensor& x) {
    const std::int64_t width = x.extent(2) * x.extent(3);
    return {x.address(),
            x.dtype(),
            {.rows = x.extent(0) * x.extent(1), .width = width, .stride = width},
            x.memory()};
}

void affineNorm(const Execution& execution, const Tensor& x, double epsilon, const Tensor& weight,
                const Tensor& bias, Tensor& y) {
    const auto span = traceSpan(execution.trace, "layer_norm", "norm");
    layerNorm(execution, MatrixView(x), epsilon, {.gamma = MatrixView(weight), .beta = MatrixView(bias)},
              MatrixSpan(y));
}

// The output projection of what was attended, added to the residual stream.
void addHeads(const PackedMatrix& output, Tensor& attended, ResidualSum& sum) {
    const MatrixView rows = headRows(attended);
    const std::int64_t tokens = attended.extent(1);
    for (std::int64_t video = 0; video < attended.extent(0); ++video)
        sum.add(output, video, 0, rows.slice(video * tokens, tokens));
    sum.finish();
}

SparseCounts attendHeads(Device& device, const AttentionPlan& plan, ShardedAttentionInputs inputs,
                         WanWorkspace& work, Tensor& out) {
    const auto span = traceSpan(device.execution().trace, "apply_attention");
    inputs.query = work.query;
    inputs.scale = 1.0F / std::sqrt(static_cast<float>(work.query.extent(3)));
    AttentionReport report = attendSharded(device, plan, inputs, out, work.scratch, std::move(work.fixedM));
    work.fixedM = std::move(report.fixedM);
    return report.sparse;
}

// Attends to keys that no step changes.
void attendContext(Device& device, const AttentionPlan& plan, std::int64_t queries, const CrossTokens& tokens,
                   const CrossKeyValue& keys, WanWorkspace& work, Tensor& out) {
    attendHeads(device, plan,
                {.queryLength = queries,
                 .keyLength = tokens.count,
                 .query = {},
                 .key = keys.key,
                 .value = keys.value,
                 .lastKeyCount = tokens.lastCount},
                work, out);
}

// Attends to the prompt, of which some tokens may have a time.
void attendText(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) {
    attendHeads(device, inputs.attention.text,
                {.queryLength = inputs.tokens,
                 .keyLength = inputs.text.count,
                 .query = {},
                 .key = inputs.context.text.key,
                 .value = inputs.context.text.value,
                 .lastKeyCount = inputs.text.lastCount,
                 .biasedKeys = inputs.timed,
                 .tokensPerFrame = inputs.tokensPerFrame},
                work, work.attended);
}

}  // namespace

WanBlock::WanBlock(const WanTransformerConfig& config, const WanPrecision& precision, const LayerSlots& slots,
                   WanBlockNames names)
    : m_heads(config.heads),
      m_headDim(config.headDim),
      m_epsilon(config.epsilon),
      m_activations(precision.activations),
      m_names(std::move(names)),
      m_self(config, slots, "attn1"),
      m_cross(config, slots, "attn2", config.addedKvDim > 0),
      m_crossNormWeight(slots.find("norm2.weight")),
      m_crossNormBias(slots.find("norm2.bias")),
      m_up(slots.linear("ffn.net.0.proj")),
      m_down(slots.linear("ffn.net.2")),
      m_scaleShift(slots.require("scale_shift_table")) {}

CrossKeyValue WanBlock::emptyKeyValue(Device& device, const Tensor& tokens) const {
    const std::int64_t heads = m_heads / device.along(MeshAxis::Tensor).size();
    const Shape shape{tokens.extent(0), tokens.extent(1), heads, m_headDim};
    Memory* memory = device.execution().memory();
    return {.key = Tensor::empty(shape, m_activations, memory),
            .value = Tensor::empty(shape, m_activations, memory)};
}

CrossKeyValue WanBlock::textKeyValue(Device& device, const LayerTensors& weights, const Tensor& text) const {
    CrossKeyValue result = emptyKeyValue(device, text);
    m_cross.projectKeyValue(device, weights, MatrixView(text), headRows(result.key), headRows(result.value));
    return result;
}

BlockContext WanBlock::makeContext(Device& device, const LayerTensors& weights, const Tensor& text,
                                   const std::optional<Tensor>& image,
                                   const std::optional<Tensor>& negative) const {
    BlockContext result{.text = textKeyValue(device, weights, text), .image = {}, .negative = {}};
    if (negative)
        result.negative = textKeyValue(device, weights, *negative);
    if (image) {
        result.image = emptyKeyValue(device, *image);
        m_cross.projectAddedKeyValue(device, weights, MatrixView(*image), headRows(result.image->key),
                                     headRows(result.image->value));
    }
    return result;
}

void WanBlock::report(const Probe& probe, std::string_view name, const Tensor& value) const {
    if (probe)
        probe(fmt::format("{}.{}", m_names.probe, name), value.host());
}

ResidualSum WanBlock::residualSum(Device& device, const WanBlockInputs& inputs, const ResidualGate& gate,
                                  WanWorkspace& work, std::string_view name) const {
    return {device, work, gate, {.probe = &inputs.probe, .prefix = m_names.probe, .name = name}};
}

void WanBlock::modulate(const LayerTensors& weights, const WanBlockInputs& inputs,
                        Modulation& modulation) const {
    modulation.set(weights.at(m_scaleShift), inputs.timestepProjection,
                   std::array<std::int64_t, 2>{SelfScale, FeedScale});
}

void WanBlock::selfAttention(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                             WanWorkspace& work) const {
    const auto span = traceSpan(device.execution().trace, "self_attn");
    project(device, weights, inputs, work);
    attend(device, weights, inputs, work);
}

void WanBlock::project(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                       WanWorkspace& work) const {
    work.modulation.norm(device.execution(), work.hidden, m_epsilon, SelfShift, SelfScale, work.normed);
    m_self.project(device, weights, MatrixView(work.normed), inputs.rotary, headRows(work.query),
                   headRows(work.key), headRows(work.value));
}

void WanBlock::attend(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                      WanWorkspace& work) const {
    const SparseCounts left = attendHeads(device, inputs.self,
                                          {.queryLength = inputs.tokens,
                                           .keyLength = inputs.tokens,
                                           .query = {},
                                           .key = work.key,
                                           .value = work.value,
                                           .biasedKeys = inputs.biasedSelf,
                                           .tokensPerFrame = inputs.tokensPerFrame,
                                           .paired = inputs.paired,
                                           .sparse = inputs.self.sparse ? inputs.sparse : nullptr,
                                           .checksSparse = inputs.checksSparse},
                                          work, work.attended);
    inputs.fixedM.add(device.index(), work.fixedM);
    inputs.left.add(device.index(), left);
    ResidualSum sum = residualSum(device, inputs, {&work.modulation, SelfGate}, work, ".attn1_out");
    addHeads(m_self.output(weights), work.attended, sum);
}

void WanBlock::crossAttention(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                              WanWorkspace& work) const {
    const auto span = traceSpan(device.execution().trace, "cross_attn");
    if (m_crossNormWeight)
        affineNorm(device.execution(), work.hidden, m_epsilon, weights.at(*m_crossNormWeight),
                   weights.at(m_crossNormBias.value()), work.normed);
    const Tensor& queried = m_crossNormWeight ? work.normed : work.hidden;
    m_cross.projectQuery(device, weights, MatrixView(queried), headRows(work.query));
    attendText(device, inputs, work);
    if (inputs.context.negative)
        guideTextAttention(device, inputs, work);
    if (inputs.context.image)
        addImageAttention(device, inputs, work);
    ResidualSum sum = residualSum(device, inputs, {}, work, ".attn2_out");
    addHeads(m_cross.output(weights), work.attended, sum);
}

void WanBlock::reportHeads(const Probe& probe, std::string_view name, const Tensor& heads) const {
    if (probe)
        report(probe, name, heads.reshaped({heads.extent(0), heads.extent(1), heads.extent(2) * m_headDim}));
}

// The norms are over all heads of the model: the devices of the tensor axis add theirs up.
void WanBlock::guideTextAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    Tensor& ofNegative = work.key;
    attendContext(device, inputs.attention.text, inputs.tokens, inputs.negative, *inputs.context.negative,
                  work, ofNegative);
    reportHeads(inputs.probe, "attn2.z_pos", work.attended);
    reportHeads(inputs.probe, "attn2.z_neg", ofNegative);
    const auto span = traceSpan(device.execution().trace, "attention_guidance", "norm");
    const MatrixSpan attended = headRows(work.attended);
    const MatrixView negative = headRows(ofNegative);
    Communicator& heads = device.along(MeshAxis::Tensor);
    ScratchVector<float> norms;
    if (heads.size() > 1) {
        norms.resize(2 * static_cast<std::size_t>(attended.rows()));
        attentionNorms(device.execution(), attended, negative, inputs.guidance, norms);
        heads.allReduceSum(norms);
    }
    guideAttention(device.execution(), attended, negative, inputs.guidance, norms);
    reportHeads(inputs.probe, "attn2.guided", work.attended);
}

// Queries of cross-attention leave self-attention's keys free.
void WanBlock::addImageAttention(Device& device, const WanBlockInputs& inputs, WanWorkspace& work) const {
    Tensor& ofImage = work.key;
    attendContext(device, inputs.attention.image, inputs.tokens, inputs.image, *inputs.context.image, work,
                  ofImage);
    reportHeads(inputs.probe, "attn2.z_img", ofImage);
    addRows(device.execution(), headRows(work.attended), headRows(ofImage));
}

// Works in tiles of tokens: the values between the two products do not fit the caches, nor for long videos
// much memory.
void WanBlock::feedForward(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                           WanWorkspace& work) const {
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "mlp");
    work.modulation.norm(execution, work.hidden, m_epsilon, FeedShift, FeedScale, work.normed);
    ResidualSum sum = residualSum(device, inputs, {&work.modulation, FeedGate}, work, ".ffn_out");
    const MatrixView normed(work.normed);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        for (std::int64_t first = 0; first < work.tokens(); first += WanWorkspace::feedForwardTokens) {
            const std::int64_t count = std::min(WanWorkspace::feedForwardTokens, work.tokens() - first);
            const MatrixSpan features = MatrixSpan(work.feedForward).slice(0, count);
            weights.matrix(m_up).apply(execution, normed.slice(video * work.tokens() + first, count),
                                       features, {.activation = LinearActivation::GeluTanh});
            sum.add(weights.matrix(m_down), video, first, features);
        }
    sum.finish();
}

void WanBlock::finish(Device& device, const LayerTensors& weights, const WanBlockInputs& inputs,
                      WanWorkspace& work) const {
    crossAttention(device, weights, inputs, work);
    feedForward(device, weights, inputs, work);
    report(inputs.probe, "out", work.hidden);
}

}  // namespace meshreel
