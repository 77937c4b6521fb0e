// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/umt5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/attention/attention.h"
#include "engine/kernels/activations.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/norms.h"
#include "engine/models/config_reader.h"
#include "engine/models/model_weights.h"
#include "engine/models/non_finite.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Checkpoints hold the embedding under either name, or both as aliases.
constexpr std::string_view sharedEmbedding = "shared.weight";
constexpr std::string_view encoderEmbedding = "encoder.embed_tokens.weight";

std::vector<std::uint8_t> keptTokens(const Tensor& mask) {
    const auto values = mask.data<std::int64_t>();
    std::vector<std::uint8_t> keep(values.size());
    std::ranges::transform(values, keep.begin(),
                           [](std::int64_t value) -> std::uint8_t { return value != 0; });
    return keep;
}

// Buckets of relative positions 1-length … length-1.
std::vector<std::int64_t> bucketsOfDistances(std::int64_t length, std::int64_t buckets,
                                             std::int64_t maxDistance) {
    std::vector<std::int64_t> result;
    for (std::int64_t distance = 1 - length; distance < length; ++distance)
        result.push_back(relativePositionBucket(distance, buckets, maxDistance));
    return result;
}

}  // namespace

struct Umt5Encoder::Workspace {
    Workspace(const Umt5Config& config, std::int64_t batchSize, std::int64_t tokens)
        : batch(batchSize),
          length(tokens),
          hidden(Tensor::empty({batch, length, config.dModel})),
          normed(Tensor::empty({batch, length, config.dModel})),
          projected(Tensor::empty({batch, length, config.dModel})),
          query(Tensor::empty({batch, length, config.heads * config.dKv})),
          key(Tensor::empty(query.shape())),
          value(Tensor::empty(query.shape())),
          attended(Tensor::empty(query.shape())),
          positionBias(Tensor::empty({1, config.heads, length, length})),
          gate(Tensor::empty({batch, length, config.dFf})),
          up(Tensor::empty(gate.shape())),
          distanceBuckets(bucketsOfDistances(length, config.buckets, config.maxDistance)) {}

    [[nodiscard]] std::int64_t rows() const { return batch * length; }

    std::int64_t batch;
    std::int64_t length;
    Tensor hidden, normed, projected;
    Tensor query, key, value, attended;
    Tensor positionBias;
    Tensor gate, up;
    std::vector<std::int64_t> distanceBuckets;
    std::vector<std::uint8_t> keep;  // empty: every token
};

Umt5Config Umt5Config::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
    if (reader.text("feed_forward_proj").value_or("gated-gelu") != "gated-gelu")
        reader.refuse("feed_forward_proj", "Only the gated-gelu feed-forward of UMT5 is supported",
                      "Use the text encoder that belongs to the Wan checkpoint");
    Umt5Config config;
    config.vocabSize = reader.size("vocab_size");
    config.dModel = reader.size("d_model");
    config.dKv = reader.size("d_kv");
    config.dFf = reader.size("d_ff");
    config.layers = reader.size("num_layers");
    config.heads = reader.size("num_heads");
    config.buckets = reader.size("relative_attention_num_buckets", config.buckets);
    config.maxDistance = reader.size("relative_attention_max_distance", config.maxDistance);
    config.epsilon = reader.number("layer_norm_epsilon", config.epsilon);
    if (config.buckets < 4 || config.maxDistance <= config.buckets / 4)
        reader.refuse("relative_attention_num_buckets",
                      fmt::format("{} buckets up to a distance of {} leave no room for the logarithmic ones",
                                  config.buckets, config.maxDistance),
                      "Use the config.json that came with the weights");
    return config;
}

std::int64_t relativePositionBucket(std::int64_t relativePosition, std::int64_t buckets,
                                    std::int64_t maxDistance) {
    const std::int64_t half = buckets / 2;
    const std::int64_t exact = half / 2;
    const std::int64_t base = relativePosition > 0 ? half : 0;
    const std::int64_t distance = std::abs(relativePosition);
    if (distance < exact)
        return base + distance;
    // f32 at every step: in double some distances at the edge of a bucket would fall into the other one.
    const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact));
    const auto range =
        static_cast<float>(std::log(static_cast<double>(maxDistance) / static_cast<double>(exact)));
    const float step = ratio / range * static_cast<float>(half - exact);
    return base + std::min(half - 1, exact + static_cast<std::int64_t>(step));
}

Umt5Encoder::Umt5Encoder(const Umt5Config& config, const Checkpoint& checkpoint) : m_config(config) {
    const std::string_view embedding = checkpoint.has(sharedEmbedding) || !checkpoint.has(encoderEmbedding)
                                           ? sharedEmbedding
                                           : encoderEmbedding;
    m_embedding = checkpoint.get(embedding, {config.vocabSize, config.dModel});
    for (std::int64_t index = 0; index < config.layers; ++index)
        m_layers.push_back(loadLayer(config, checkpoint, index));
    m_finalNorm = loadF32(checkpoint, "encoder.final_layer_norm.weight", {config.dModel});
}

Umt5Encoder::Layer Umt5Encoder::loadLayer(const Umt5Config& config, const Checkpoint& checkpoint,
                                          std::int64_t index) {
    const std::string attention = fmt::format("encoder.block.{}.layer.0.", index);
    const std::string feedForward = fmt::format("encoder.block.{}.layer.1.", index);
    const std::int64_t inner = config.heads * config.dKv;
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
        return loadLinearWithoutBias(checkpoint, name, out, in);
    };
    return {
        .attentionNorm = loadF32(checkpoint, attention + "layer_norm.weight", {config.dModel}),
        .query = linear(attention + "SelfAttention.q", inner, config.dModel),
        .key = linear(attention + "SelfAttention.k", inner, config.dModel),
        .value = linear(attention + "SelfAttention.v", inner, config.dModel),
        .output = linear(attention + "SelfAttention.o", config.dModel, inner),
        .relativeBias = loadF32(checkpoint, attention + "SelfAttention.relative_attention_bias.weight",
                                {config.buckets, config.heads}),
        .feedForwardNorm = loadF32(checkpoint, feedForward + "layer_norm.weight", {config.dModel}),
        .gate = linear(feedForward + "DenseReluDense.wi_0", config.dFf, config.dModel),
        .up = linear(feedForward + "DenseReluDense.wi_1", config.dFf, config.dModel),
        .down = linear(feedForward + "DenseReluDense.wo", config.dModel, config.dFf),
    };
}

void Umt5Encoder::embed(const Tensor& ids, Tensor& hidden) const {
    const auto tokens = ids.data<std::int64_t>();
    float* row = hidden.data<float>().data();
    for (const std::int64_t id : tokens) {
        if (id < 0 || id >= m_config.vocabSize)
            throw Error(ErrorKind::Input,
                        fmt::format("Token {} lies outside the text encoder's vocabulary of {}", id,
                                    m_config.vocabSize),
                        "tokenizer", "Use the tokenizer and text encoder of one checkpoint");
        const Tensor embedding = m_embedding.slice(id, id + 1).toF32();
        row = std::ranges::copy(embedding.data<float>(), row).out;
    }
}

void Umt5Encoder::attention(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, work.hidden.data<float>(), m_config.dModel, m_config.epsilon,
            layer.attentionNorm.data<float>(), work.normed.data<float>());
    const std::span<const float> normed = work.normed.data<float>();
    layer.query.apply(execution, normed, work.rows(), work.query.data<float>());
    layer.key.apply(execution, normed, work.rows(), work.key.data<float>());
    layer.value.apply(execution, normed, work.rows(), work.value.data<float>());
    const AttentionSettings dense{.mode = findAttentionMode("dot_product")};
    attend(execution, dense,
           {.batch = work.batch,
            .heads = m_config.heads,
            .headDim = m_config.dKv,
            .queryLength = work.length,
            .keyLength = work.length,
            .query = work.query.data<float>(),
            .key = work.key.data<float>(),
            .value = work.value.data<float>(),
            .keep = work.keep,
            .bias = work.positionBias.data<float>(),
            .scale = 1.0F},
           work.attended.data<float>());
    layer.output.apply(execution, work.attended.data<float>(), work.rows(), work.projected.data<float>());
}

void Umt5Encoder::fillPositionBias(const Execution& execution, const Layer& layer, Workspace& work) const {
    const auto table = layer.relativeBias.data<float>();
    const auto bias = work.positionBias.data<float>();
    const std::int64_t length = work.length;
    execution.workers.parallelFor(m_config.heads * length, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t head = row / length;
            const std::int64_t query = row % length;
            for (std::int64_t key = 0; key < length; ++key) {
                const std::int64_t bucket =
                    work.distanceBuckets[static_cast<std::size_t>(key - query + length - 1)];
                bias[static_cast<std::size_t>(row * length + key)] =
                    table[static_cast<std::size_t>(bucket * m_config.heads + head)];
            }
        }
    });
}

void Umt5Encoder::feedForward(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, work.hidden.data<float>(), m_config.dModel, m_config.epsilon,
            layer.feedForwardNorm.data<float>(), work.normed.data<float>());
    layer.gate.apply(execution, work.normed.data<float>(), work.rows(), work.gate.data<float>());
    layer.up.apply(execution, work.normed.data<float>(), work.rows(), work.up.data<float>());
    activate(execution, geluTanh, work.gate.data<float>());
    multiplyInPlace(execution, work.gate.data<float>(), work.up.data<float>());
    layer.down.apply(execution, work.gate.data<float>(), work.rows(), work.projected.data<float>());
}

Tensor Umt5Encoder::encode(const Execution& execution, const Tensor& ids, const Tensor& mask,
                           const Probe& probe) const {
    if (ids.shape().rank() != 2 || (mask.elements() != 0 && mask.shape() != ids.shape()))
        throw Error(ErrorKind::Internal,
                    fmt::format("The text encoder needs ids and mask of one shape [B, L], got {} and {}",
                                ids.shape().text(), mask.shape().text()));
    const auto report = [&](std::string_view name, const Tensor& value) {
        if (probe)
            probe(name, value);
    };
    Workspace work(m_config, ids.extent(0), ids.extent(1));
    if (mask.elements() != 0)
        work.keep = keptTokens(mask);
    embed(ids, work.hidden);
    report("embed", work.hidden);
    for (std::size_t index = 0; index < m_layers.size(); ++index) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("text_encoder_block {}", index));
        const Layer& layer = m_layers[index];
        const std::string name = fmt::format("block{}", index);
        fillPositionBias(execution, layer, work);
        report(name + ".pos_bias", work.positionBias);
        attention(execution, layer, work);
        report(name + ".attn", work.projected);
        addInPlace(execution, work.hidden.data<float>(), work.projected.data<float>());
        feedForward(execution, layer, work);
        addInPlace(execution, work.hidden.data<float>(), work.projected.data<float>());
        report(name + ".out", work.hidden);
        requireFinite(execution, work.hidden.data<float>(), fmt::format("text encoder block {}", index));
    }
    rmsNorm(execution, work.hidden.data<float>(), m_config.dModel, m_config.epsilon,
            m_finalNorm.data<float>(), work.normed.data<float>());
    report("last_hidden_state", work.normed);
    return work.normed;
}

Tensor maskPadding(const Tensor& hidden, const Tensor& mask) {
    const auto keep = mask.data<std::int64_t>();
    Tensor result = hidden.clone();
    const auto values = result.data<float>();
    const auto width = static_cast<std::size_t>(hidden.extent(2));
    if (values.size() != keep.size() * width)
        throw Error(ErrorKind::Internal,
                    fmt::format("A mask of shape {} does not fit hidden states of shape {}",
                                mask.shape().text(), hidden.shape().text()));
    for (std::size_t row = 0; row < keep.size(); ++row)
        if (keep[row] == 0)
            std::ranges::fill(values.subspan(row * width, width), 0.0F);
    return result;
}

}  // namespace meshreel
