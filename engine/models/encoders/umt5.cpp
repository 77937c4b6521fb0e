// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/umt5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/attention/local_attention.h"
#include "engine/base/error.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/config_reader.h"
#include "engine/models/encoders/encoder_weights.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

enum Parameter : std::size_t {
    AttentionNorm,
    Query,
    Key,
    Value,
    Output,
    RelativeBias,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
};

/// Names in the checkpoint and shapes, in the order of Parameter.
std::vector<StreamedTensor> listParameters(const Umt5Config& config, std::int64_t index) {
    const std::string attention = fmt::format("encoder.block.{}.layer.0.", index);
    const std::string feedForward = fmt::format("encoder.block.{}.layer.1.", index);
    const std::int64_t inner = config.heads * config.dKv;
    return {
        {attention + "layer_norm.weight", {config.dModel}},
        {attention + "SelfAttention.q.weight", {inner, config.dModel}, true},
        {attention + "SelfAttention.k.weight", {inner, config.dModel}, true},
        {attention + "SelfAttention.v.weight", {inner, config.dModel}, true},
        {attention + "SelfAttention.o.weight", {config.dModel, inner}, true},
        {attention + "SelfAttention.relative_attention_bias.weight", {config.buckets, config.heads}},
        {feedForward + "layer_norm.weight", {config.dModel}},
        {feedForward + "DenseReluDense.wi_0.weight", {config.dFf, config.dModel}, true},
        {feedForward + "DenseReluDense.wi_1.weight", {config.dFf, config.dModel}, true},
        {feedForward + "DenseReluDense.wo.weight", {config.dModel, config.dFf}, true},
    };
}

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

ScratchArena makeArena(std::size_t bytes) {
    return ScratchArena(Tensor::empty({static_cast<std::int64_t>(bytes)}, DType::U8));
}

}  // namespace

Umt5Config Umt5Config::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
    if (reader.text("feed_forward_proj").value_or("gated-gelu") != "gated-gelu")
        reader.refuse("feed_forward_proj", sentence("Only the gated-gelu feed-forward of UMT5 is supported"),
                      sentence("Use the text encoder that belongs to the Wan checkpoint"));
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
                      sentence("{} buckets up to a distance of {} leave no room for the logarithmic ones",
                               config.buckets, config.maxDistance),
                      sentence("Use the config.json that came with the weights"));
    return config;
}

std::size_t umt5LayerBytes(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index,
                           Arithmetic arithmetic) {
    return streamedBytes(checkpoint, listParameters(config, index), arithmetic);
}

/// The weights of one layer.
struct Umt5Encoder::Layer {
    Tensor attentionNorm;  // f32 [dModel]
    PackedMatrix query, key, value, output;
    Tensor relativeBias;     // f32 [buckets, heads]
    Tensor feedForwardNorm;  // f32 [dModel]
    PackedMatrix gate, up, down;

    /// Linear layers multiply in `arithmetic`: for F32, tensors that the checkpoint holds as f32 stay in its
    /// map and others are converted into `memory`, where umt5LayerBytes() are enough for all; others are
    /// packed. The layer is used up when the arena's frame ends.
    static Layer read(const Execution& execution, const Umt5Config& config, const Checkpoint& checkpoint,
                      std::int64_t index, Arithmetic arithmetic, ScratchArena& memory) {
        const std::vector<StreamedTensor> parameters = listParameters(config, index);
        const auto tensor = [&](Parameter parameter) {
            return readAsF32(execution, checkpoint, parameters[parameter], memory);
        };
        const auto linear = [&](Parameter parameter) {
            return readLinear(execution, checkpoint, parameters[parameter], nullptr, arithmetic, memory);
        };
        return {
            .attentionNorm = tensor(AttentionNorm),
            .query = linear(Query),
            .key = linear(Key),
            .value = linear(Value),
            .output = linear(Output),
            .relativeBias = tensor(RelativeBias),
            .feedForwardNorm = tensor(FeedForwardNorm),
            .gate = linear(Gate),
            .up = linear(Up),
            .down = linear(Down),
        };
    }
};

struct Umt5Encoder::Sequence {
    Tensor hidden;  // [batch, length, dModel]
    std::vector<std::int64_t> distanceBuckets;
    std::vector<std::uint8_t> keep;  // empty: every token
};

/// What one layer of one sequence computes in.
struct Umt5Encoder::Workspace {
    Workspace(const Umt5Config& config, Sequence& sequenceOfLayer, ScratchArena& memory)
        : sequence(sequenceOfLayer),
          batch(sequence.hidden.extent(0)),
          length(sequence.hidden.extent(1)),
          normed(memory.take(sequence.hidden.shape())),
          projected(memory.take(sequence.hidden.shape())),
          query(memory.take({batch, length, config.heads * config.dKv})),
          key(memory.take(query.shape())),
          value(memory.take(query.shape())),
          attended(memory.take(query.shape())),
          positionBias(memory.take({1, config.heads, length, length})),
          gate(memory.take({batch, length, config.dFf})),
          up(memory.take(gate.shape())) {}

    /// Memory for sequences of this shape.
    static std::size_t bytes(const Umt5Config& config, std::int64_t batch, std::int64_t length) {
        return 2 * ScratchArena::bytesOf({batch, length, config.dModel}) +
               4 * ScratchArena::bytesOf({batch, length, config.heads * config.dKv}) +
               ScratchArena::bytesOf({config.heads, length, length}) +
               2 * ScratchArena::bytesOf({batch, length, config.dFf});
    }

    [[nodiscard]] std::int64_t rows() const { return batch * length; }
    [[nodiscard]] std::span<float> hidden() { return sequence.hidden.data<float>(); }

    Sequence& sequence;
    std::int64_t batch;
    std::int64_t length;
    Tensor normed, projected;
    Tensor query, key, value, attended;
    Tensor positionBias;
    Tensor gate, up;
};

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

Umt5Encoder::Umt5Encoder(const Umt5Config& config, const Checkpoint& checkpoint, Arithmetic arithmetic)
    : m_config(config), m_checkpoint(checkpoint), m_arithmetic(arithmetic) {
    const std::string_view embedding = checkpoint.has(sharedEmbedding) || !checkpoint.has(encoderEmbedding)
                                           ? sharedEmbedding
                                           : encoderEmbedding;
    m_embedding = checkpoint.get(embedding, {config.vocabSize, config.dModel});
    for (std::int64_t index = 0; index < config.layers; ++index)
        requireTensors(checkpoint, listParameters(config, index));
    m_finalNorm = loadF32(checkpoint, "encoder.final_layer_norm.weight", {config.dModel});
}

Tensor Umt5Encoder::embed(const Tensor& ids) const {
    Tensor hidden = Tensor::empty({ids.extent(0), ids.extent(1), m_config.dModel});
    std::span<float> rows = hidden.data<float>();
    const auto width = static_cast<std::size_t>(m_config.dModel);
    for (const std::int64_t id : ids.data<std::int64_t>()) {
        if (id < 0 || id >= m_config.vocabSize)
            throw Error(
                ErrorKind::Input,
                sentence("Token {} lies outside the text encoder's vocabulary of {}", id, m_config.vocabSize),
                "tokenizer", sentence("Use the tokenizer and text encoder of one checkpoint"));
        copyAsF32(m_embedding.slice(id, id + 1), rows.first(width));
        rows = rows.subspan(width);
    }
    return hidden;
}

Umt5Encoder::Sequence Umt5Encoder::begin(const Umt5Input& input) const {
    const Tensor& ids = input.ids;
    const Tensor& mask = input.mask;
    if (ids.shape().rank() != 2 || (mask.elements() != 0 && mask.shape() != ids.shape()))
        throw Error(ErrorKind::Internal,
                    fmt::format("The text encoder needs ids and mask of one shape [B, L], got {} and {}",
                                ids.shape().text(), mask.shape().text()));
    Sequence sequence{
        .hidden = embed(ids),
        .distanceBuckets = bucketsOfDistances(ids.extent(1), m_config.buckets, m_config.maxDistance),
        .keep = {}};
    if (mask.elements() != 0)
        sequence.keep = keptTokens(mask);
    return sequence;
}

void Umt5Encoder::attention(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, work.hidden(), m_config.dModel, m_config.epsilon, layer.attentionNorm.data<float>(),
            work.normed.data<float>());
    const std::span<const float> normed = work.normed.data<float>();
    layer.query.apply(execution, normed, work.rows(), work.query.data<float>());
    layer.key.apply(execution, normed, work.rows(), work.key.data<float>());
    layer.value.apply(execution, normed, work.rows(), work.value.data<float>());
    attend(execution, densePlan(),
           {.batch = work.batch,
            .heads = m_config.heads,
            .headDim = m_config.dKv,
            .queryLength = work.length,
            .keyLength = work.length,
            .query = work.query.data<float>(),
            .key = work.key.data<float>(),
            .value = work.value.data<float>(),
            .keep = work.sequence.keep,
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
                    work.sequence.distanceBuckets[static_cast<std::size_t>(key - query + length - 1)];
                bias[static_cast<std::size_t>(row * length + key)] =
                    table[static_cast<std::size_t>(bucket * m_config.heads + head)];
            }
        }
    });
}

void Umt5Encoder::feedForward(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, work.hidden(), m_config.dModel, m_config.epsilon, layer.feedForwardNorm.data<float>(),
            work.normed.data<float>());
    layer.gate.apply(execution, work.normed.data<float>(), work.rows(), work.gate.data<float>());
    layer.up.apply(execution, work.normed.data<float>(), work.rows(), work.up.data<float>());
    activate(execution, geluTanh, work.gate.data<float>());
    multiplyInPlace(execution, work.gate.data<float>(), work.up.data<float>());
    layer.down.apply(execution, work.gate.data<float>(), work.rows(), work.projected.data<float>());
}

void Umt5Encoder::runLayer(const Execution& execution, const Layer& layer, const std::string& name,
                           Workspace& work, const Probe& probe) const {
    const auto report = [&](std::string_view what, const Tensor& value) {
        if (probe)
            probe(name + std::string(what), value);
    };
    fillPositionBias(execution, layer, work);
    report(".pos_bias", work.positionBias);
    attention(execution, layer, work);
    report(".attn", work.projected);
    addInPlace(execution, work.hidden(), work.projected.data<float>());
    feedForward(execution, layer, work);
    addInPlace(execution, work.hidden(), work.projected.data<float>());
    report(".out", work.sequence.hidden);
}

void Umt5Encoder::runLayers(const Execution& execution, std::vector<Sequence>& sequences,
                            const Probe& probe) const {
    std::size_t layerBytes = 0;
    for (std::int64_t index = 0; index < m_config.layers; ++index)
        layerBytes = std::max(layerBytes, umt5LayerBytes(m_config, m_checkpoint, index, m_arithmetic));
    std::size_t workBytes = 0;
    for (const Sequence& sequence : sequences)
        workBytes = std::max(
            workBytes, Workspace::bytes(m_config, sequence.hidden.extent(0), sequence.hidden.extent(1)));
    ScratchArena weights = makeArena(layerBytes);
    ScratchArena scratch = makeArena(workBytes);
    for (std::int64_t index = 0; index < m_config.layers; ++index) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("text_encoder_block {}", index));
        const ScratchArena::Frame untilNextLayer(weights);
        const Layer layer = Layer::read(execution, m_config, m_checkpoint, index, m_arithmetic, weights);
        if (index + 1 < m_config.layers)
            prefetchTensors(m_checkpoint, listParameters(m_config, index + 1));
        for (Sequence& sequence : sequences) {
            const ScratchArena::Frame untilNextSequence(scratch);
            Workspace work(m_config, sequence, scratch);
            runLayer(execution, layer, fmt::format("block{}", index), work, probe);
            requireFinite(execution, work.hidden(), fmt::format("text encoder block {}", index));
        }
        releaseTensors(m_checkpoint, listParameters(m_config, index));
    }
}

std::vector<Tensor> Umt5Encoder::encode(const Execution& execution, std::span<const Umt5Input> inputs,
                                        const Probe& probe) const {
    std::vector<Sequence> sequences;
    for (const Umt5Input& input : inputs) {
        sequences.push_back(begin(input));
        if (probe)
            probe("embed", sequences.back().hidden);
    }
    runLayers(execution, sequences, probe);
    std::vector<Tensor> results;
    for (const Sequence& sequence : sequences) {
        Tensor& result = results.emplace_back(Tensor::empty(sequence.hidden.shape()));
        rmsNorm(execution, sequence.hidden.data<float>(), m_config.dModel, m_config.epsilon,
                m_finalNorm.data<float>(), result.data<float>());
        if (probe)
            probe("last_hidden_state", result);
    }
    return results;
}

Tensor Umt5Encoder::encode(const Execution& execution, const Tensor& ids, const Tensor& mask,
                           const Probe& probe) const {
    const Umt5Input input{ids, mask};
    return encode(execution, std::span(&input, 1), probe).front();
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
