// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_attention_layer.h"

#include <array>
#include <vector>

#include "engine/kernels/norms.h"

namespace meshreel {

namespace {

void applyLinear(const Device& device, const PackedMatrix& matrix, std::span<const float> x,
                 std::span<float> y) {
    matrix.apply(device.execution(), x, static_cast<std::int64_t>(x.size()) / matrix.inFeatures(), y);
}

std::optional<Tensor> optionalTensor(const LayerTensors& tensors, const std::string& name) {
    return tensors.has(name) ? std::optional(tensors.get(name)) : std::nullopt;
}

}  // namespace

RowParallelLinear::RowParallelLinear(const LayerTensors& tensors, const std::string& name,
                                     const Device& device)
    : m_matrix(device.at().tensor == 0 ? tensors.linear(name) : tensors.linearWithoutBias(name)) {}

void RowParallelLinear::apply(Device& device, std::span<const float> x, std::int64_t rows,
                              std::span<float> y) const {
    m_matrix.apply(device.execution(), x, rows, y);
    device.along(MeshAxis::Tensor).allReduceSum(y);
}

WanAttentionLayer::WanAttentionLayer(const WanTransformerConfig& config, const LayerTensors& tensors,
                                     const std::string& prefix, const Device& device)
    : m_innerDim(config.innerDim()),
      m_epsilon(config.epsilon),
      m_query(tensors.linear(prefix + ".to_q")),
      m_key(tensors.linear(prefix + ".to_k")),
      m_value(tensors.linear(prefix + ".to_v")),
      m_output(tensors, prefix + ".to_out.0", device),
      m_queryNorm(optionalTensor(tensors, prefix + ".norm_q.weight")),
      m_keyNorm(optionalTensor(tensors, prefix + ".norm_k.weight")) {}

// The norms are over all heads of the model: the devices of the tensor axis add up their sums of squares, in
// one exchange for all.
void WanAttentionLayer::normalise(Device& device, std::span<const Normed> all) const {
    const std::int64_t width = m_query.outFeatures();
    std::vector<Normed> present;
    std::size_t rows = 0;
    for (const Normed& normed : all)
        if (normed.gamma) {
            present.push_back(normed);
            rows += normed.values.size() / static_cast<std::size_t>(width);
        }
    std::vector<float> squares(rows);
    const auto eachPart = [&](const auto& body) {
        std::size_t first = 0;
        for (const Normed& normed : present) {
            const std::size_t count = normed.values.size() / static_cast<std::size_t>(width);
            body(normed, std::span(squares).subspan(first, count));
            first += count;
        }
    };
    eachPart([&](const Normed& normed, std::span<float> sums) {
        rowSquares(device.execution(), normed.values, width, sums);
    });
    device.along(MeshAxis::Tensor).allReduceSum(squares);
    eachPart([&](const Normed& normed, std::span<float> sums) {
        rmsNormBySquares(device.execution(), normed.values, width, sums, m_innerDim, m_epsilon,
                         normed.gamma->data<float>(), normed.values);
    });
}

void WanAttentionLayer::project(Device& device, std::span<const float> x, std::span<float> query,
                                std::span<float> key, std::span<float> value) const {
    applyLinear(device, m_query, x, query);
    applyLinear(device, m_key, x, key);
    applyLinear(device, m_value, x, value);
    normalise(device, std::array{Normed{query, m_queryNorm}, Normed{key, m_keyNorm}});
}

void WanAttentionLayer::projectQuery(Device& device, std::span<const float> x, std::span<float> query) const {
    applyLinear(device, m_query, x, query);
    normalise(device, std::array{Normed{query, m_queryNorm}});
}

void WanAttentionLayer::projectKeyValue(Device& device, std::span<const float> x, std::span<float> key,
                                        std::span<float> value) const {
    applyLinear(device, m_key, x, key);
    applyLinear(device, m_value, x, value);
    normalise(device, std::array{Normed{key, m_keyNorm}});
}

void WanAttentionLayer::output(Device& device, std::span<const float> attended, std::span<float> out) const {
    m_output.apply(device, attended, static_cast<std::int64_t>(out.size()) / m_innerDim, out);
}

}  // namespace meshreel
