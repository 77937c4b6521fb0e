// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

std::int64_t bytesOf(std::int64_t elements, DType type) {
    constexpr std::int64_t alignment = 64;
    return (elements * static_cast<std::int64_t>(sizeOf(type)) + alignment - 1) / alignment * alignment;
}

struct Sizes {
    Sizes(const WanTransformerConfig& config, const WanPassShape& pass)
        : normed(pass.batch * pass.tokens * config.innerDim()),
          feedForwardRows(std::min(pass.tokens, WanWorkspace::feedForwardTokens)),
          feedForward(feedForwardRows * (config.ffnDim / pass.tensorDevices)),
          query(normed / pass.tensorDevices) {}

    [[nodiscard]] std::int64_t sharedBytes(const WanPassShape& pass, DType type) const {
        const std::int64_t used = bytesOf(normed, type) + bytesOf(feedForward, type);
        // Other devices may have a token more.
        const std::int64_t longest = query + (pass.tokens > 0 ? query / pass.tokens : 0);
        return std::max(used, pass.exchangedShards * bytesOf(longest, type));
    }

    std::int64_t normed;
    std::int64_t feedForwardRows;
    std::int64_t feedForward;
    std::int64_t query;
};

Tensor viewOf(const Tensor& memory, std::int64_t offset, Shape shape, DType type) {
    return Tensor::view(memory.raw() + offset, std::move(shape), type, std::make_shared<Tensor>(memory));
}

Tensor sumOf(const WanPrecision& precision, const WanPassShape& pass, const Tensor& hidden,
             const Tensor& normed) {
    if (precision.activations == DType::F32)
        return normed;
    return pass.summed ? Tensor::empty(hidden.shape()) : Tensor();
}

// Rows [first, first + count) of one video of x [videos, tokens, width].
MatrixSpan tokenRows(Tensor& x, std::int64_t video, std::int64_t first, std::int64_t count) {
    return MatrixSpan(x).slice(video * x.extent(1) + first, count);
}

bool isScattered(const ResidualGate& gate) {
    return gate.modulation != nullptr && gate.modulation->times().scattered();
}

std::optional<Tensor> optionalTensor(const LayerTensors& tensors, const std::string& name) {
    return tensors.has(name) ? std::optional(tensors.get(name)) : std::nullopt;
}

std::optional<PackedMatrix> addedProjection(const LayerTensors& tensors, const std::string& name,
                                            const WanPrecision& precision, bool wanted) {
    return wanted ? std::optional(tensors.linear(name, precision.linears())) : std::nullopt;
}

}  // namespace

WanWorkspace::WanWorkspace(const WanTransformerConfig& config, const WanPrecision& precision,
                           const WanPassShape& pass)
    : m_shared(Tensor::empty({Sizes(config, pass).sharedBytes(pass, precision.activations)}, DType::U8)),
      hidden(Tensor::empty({pass.batch, pass.tokens, config.innerDim()})),
      normed(viewOf(m_shared, 0, hidden.shape(), precision.activations)),
      feedForward(viewOf(m_shared, bytesOf(hidden.elements(), precision.activations),
                         {Sizes(config, pass).feedForwardRows, config.ffnDim / pass.tensorDevices},
                         precision.activations)),
      query(Tensor::empty({pass.batch, pass.tokens, config.heads / pass.tensorDevices, config.headDim},
                          precision.activations)),
      key(Tensor::empty(query.shape(), precision.activations)),
      value(Tensor::empty(query.shape(), precision.activations)),
      attended(Tensor::empty(query.shape(), precision.activations)),
      sum(sumOf(precision, pass, hidden, normed)),
      scratch(m_shared) {}

ResidualSum::ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate,
                         std::function<void(const Tensor&)> seen)
    : m_device(device),
      m_work(work),
      m_gate(gate),
      m_seen(std::move(seen)),
      m_direct(device.along(MeshAxis::Tensor).size() == 1 && !m_seen && !isScattered(gate)) {}

void ResidualSum::add(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                      const MatrixView& x) {
    if (m_direct)
        addDirectly(linear, video, first, x);
    else
        linear.part().apply(m_device.execution(), x, tokenRows(m_work.sum, video, first, x.rows()));
}

void ResidualSum::addDirectly(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                              const MatrixView& x) {
    const auto addRows = [&](std::int64_t begin, std::int64_t count, std::span<const float> gate) {
        linear.part().apply(m_device.execution(), x.slice(begin - first, count),
                            tokenRows(m_work.hidden, video, begin, count),
                            {.gate = gate, .addToOutput = true});
    };
    if (m_gate.modulation == nullptr)
        return addRows(first, x.rows(), m_gate.constant);
    m_gate.modulation->times().eachRun(
        video, first, x.rows(), [&](std::int64_t begin, std::int64_t count, std::int64_t time) {
            addRows(begin, count, m_gate.modulation->vector(time, m_gate.index));
        });
}

void ResidualSum::finish() {
    if (m_direct)
        return;
    m_device.along(MeshAxis::Tensor).allReduceSum(m_work.sum.data<float>());
    if (m_seen)
        m_seen(m_work.sum);
    const auto span = traceSpan(m_device.execution().trace, "residual", "norm");
    const Execution& execution = m_device.execution();
    if (m_gate.modulation != nullptr)
        m_gate.modulation->addGated(execution, m_work.hidden, m_work.sum, m_gate.index);
    else if (!m_gate.constant.empty())
        addGated(execution, m_work.hidden.data<float>(), m_work.sum.data<float>(), m_gate.constant);
    else
        addInPlace(execution, m_work.hidden.data<float>(), m_work.sum.data<float>());
}

WanAttentionLayer::WanAttentionLayer(const WanTransformerConfig& config, const WanPrecision& precision,
                                     const LayerTensors& tensors, const std::string& prefix,
                                     const Device& device, bool withAdded)
    : m_innerDim(config.innerDim()),
      m_headDim(config.headDim),
      m_epsilon(config.epsilon),
      m_query(tensors.linear(prefix + ".to_q", precision.linears())),
      m_key(tensors.linear(prefix + ".to_k", precision.linears())),
      m_value(tensors.linear(prefix + ".to_v", precision.linears())),
      m_output(tensors, prefix + ".to_out.0", precision.linears(), device),
      m_queryNorm(optionalTensor(tensors, prefix + ".norm_q.weight")),
      m_keyNorm(optionalTensor(tensors, prefix + ".norm_k.weight")),
      m_addedKey(addedProjection(tensors, prefix + ".add_k_proj", precision, withAdded)),
      m_addedValue(addedProjection(tensors, prefix + ".add_v_proj", precision, withAdded)),
      m_addedKeyNorm(optionalTensor(tensors, prefix + ".norm_added_k.weight")) {}

HeadNorm WanAttentionLayer::normOf(const Normed& normed, const RotaryTable* rotary) const {
    return {.headDim = m_headDim,
            .gamma = normed.gamma ? normed.gamma->data<float>() : std::span<const float>(),
            .fullWidth = m_innerDim,
            .epsilon = m_epsilon,
            .rotary = rotary};
}

// The norms are over all heads of the model: the devices of the tensor axis add up their sums of squares, in
// one exchange for all.
void WanAttentionLayer::normalise(Device& device, std::span<const Normed> all,
                                  const RotaryTable* rotary) const {
    Communicator& heads = device.along(MeshAxis::Tensor);
    if (heads.size() == 1) {
        for (const Normed& normed : all)
            normaliseHeads(device.execution(), normed.values, normOf(normed, rotary));
        return;
    }
    std::int64_t rows = 0;
    for (const Normed& normed : all)
        rows += normed.gamma ? normed.values.rows() : 0;
    std::vector<float> squares(static_cast<std::size_t>(rows));
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
        normaliseHeads(device.execution(), normed.values, normOf(normed, rotary), sums);
    });
}

void WanAttentionLayer::project(Device& device, const MatrixView& x, const RotaryTable& rotary,
                                const MatrixSpan& query, const MatrixSpan& key,
                                const MatrixSpan& value) const {
    m_query.apply(device.execution(), x, query);
    m_key.apply(device.execution(), x, key);
    m_value.apply(device.execution(), x, value);
    const auto span = traceSpan(device.execution().trace, "query_key_norm", "norm");
    normalise(device, std::array{Normed{query, m_queryNorm}, Normed{key, m_keyNorm}}, &rotary);
}

void WanAttentionLayer::projectQuery(Device& device, const MatrixView& x, const MatrixSpan& query) const {
    m_query.apply(device.execution(), x, query);
    const auto span = traceSpan(device.execution().trace, "query_key_norm", "norm");
    normalise(device, std::array{Normed{query, m_queryNorm}}, nullptr);
}

void WanAttentionLayer::projectKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                                        const MatrixSpan& value) const {
    m_key.apply(device.execution(), x, key);
    m_value.apply(device.execution(), x, value);
    normalise(device, std::array{Normed{key, m_keyNorm}}, nullptr);
}

void WanAttentionLayer::projectAddedKeyValue(Device& device, const MatrixView& x, const MatrixSpan& key,
                                             const MatrixSpan& value) const {
    m_addedKey.value().apply(device.execution(), x, key);
    m_addedValue.value().apply(device.execution(), x, value);
    normalise(device, std::array{Normed{key, m_addedKeyNorm}}, nullptr);
}

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
