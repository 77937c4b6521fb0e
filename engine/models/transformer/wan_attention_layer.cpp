// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_attention_layer.h"

#include <array>
#include <vector>

#include "engine/timing/trace.h"

namespace meshreel {

namespace {

std::optional<Tensor> optionalTensor(const LayerTensors& tensors, const std::string& name) {
    return tensors.has(name) ? std::optional(tensors.get(name)) : std::nullopt;
}

std::optional<PackedMatrix> addedProjection(const LayerTensors& tensors, const std::string& name,
                                            const WanPrecision& precision, bool wanted) {
    return wanted ? std::optional(tensors.linear(name, precision.linears())) : std::nullopt;
}

}  // namespace

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

}  // namespace meshreel
