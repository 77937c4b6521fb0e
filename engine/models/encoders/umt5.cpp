// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/umt5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/config_reader.h"
#include "engine/models/probe.h"
#include "engine/tensor/matrix_view.h"
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
    std::vector<std::uint8_t> keyMask(values.size());
    std::ranges::transform(values, keyMask.begin(),
                           [](std::int64_t value) -> std::uint8_t { return value != 0; });
    return keyMask;
}

// Buckets of relative positions 1-length … length-1.
std::vector<std::int64_t> bucketsOfDistances(std::int64_t length, std::int64_t buckets,
                                             std::int64_t maxDistance) {
    std::vector<std::int64_t> result;
    for (std::int64_t distance = 1 - length; distance < length; ++distance)
        result.push_back(relativePositionBucket(distance, buckets, maxDistance));
    return result;
}

ScratchArena makeArena(std::size_t bytes, Memory* memory = nullptr) {
    return ScratchArena(Tensor::empty({static_cast<std::int64_t>(bytes)}, DType::U8, memory));
}

/// [1, heads, length, length] of the bias of each distance, [heads, 2·length - 1].
Tensor positionBias(std::span<const float> ofDistances, std::int64_t heads, std::int64_t length) {
    Tensor bias = Tensor::empty({1, heads, length, length});
    auto to = bias.data<float>().begin();
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t query = 0; query < length; ++query)
            to = std::ranges::copy(ofDistances.subspan(
                                       static_cast<std::size_t>(head * (2 * length - 1) + length - 1 - query),
                                       static_cast<std::size_t>(length)),
                                   to)
                     .out;
    return bias;
}

/// Heads beside each other in rows [batch, length, heads · headDim].
HeadTensor asHeads(const Tensor& rows, std::int64_t heads) {
    return {rows.reshaped({rows.extent(0), rows.extent(1), heads, rows.extent(2) / heads})};
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
    return streamedBytes(checkpoint, listParameters(config, index), {.arithmetic = arithmetic});
}

DType Umt5Encoder::storedType(const Umt5Config& config, const Checkpoint& checkpoint) {
    for (std::int64_t index = 0; index < config.layers; ++index)
        if (storedLinearType(checkpoint, listParameters(config, index)) != DType::BF16)
            return DType::F32;
    return DType::BF16;
}

/// The weights of one layer.
struct Umt5Encoder::Layer {
    Tensor attentionNorm;  // f32 [dModel]
    PackedMatrix query, key, value, output;
    Tensor relativeBias;     // f32 [buckets, heads]
    Tensor feedForwardNorm;  // f32 [dModel]
    PackedMatrix gate, up, down;

    /// Reads as readAsF32() and readLinear() do, in an arena in which umt5LayerBytes() are enough for all.
    /// The layer is invalid when the arena's frame ends.
    static Layer read(const Execution& execution, const Umt5Config& config, const Checkpoint& checkpoint,
                      std::int64_t index, const EncoderPlace& place, ScratchArena& memory) {
        const std::vector<StreamedTensor> parameters = listParameters(config, index);
        const auto tensor = [&](Parameter parameter) {
            return readAsF32(execution, checkpoint, parameters[parameter], memory);
        };
        const auto norm = [&](Parameter parameter) { return tensor(parameter).in(place.memory); };
        const auto linear = [&](Parameter parameter) {
            return readLinear(execution, checkpoint, parameters[parameter], nullptr, place, memory);
        };
        return {
            .attentionNorm = norm(AttentionNorm),
            .query = linear(Query),
            .key = linear(Key),
            .value = linear(Value),
            .output = linear(Output),
            .relativeBias = tensor(RelativeBias),
            .feedForwardNorm = norm(FeedForwardNorm),
            .gate = linear(Gate),
            .up = linear(Up),
            .down = linear(Down),
        };
    }
};

struct Umt5Encoder::Sequence {
    Tensor hidden;  // [batch, length, dModel]
    std::vector<std::int64_t> distanceBuckets;
    std::vector<std::uint8_t> keyMask;  // empty: every token
    std::vector<float> bias;            // of a layer at a time: see fillBias()
};

/// What one layer of one sequence computes in.
struct Umt5Encoder::Workspace {
    Workspace(const Umt5Config& config, DType factors, Sequence& sequenceOfLayer, ScratchArena& memory)
        : sequence(sequenceOfLayer),
          batch(sequence.hidden.extent(0)),
          length(sequence.hidden.extent(1)),
          normed(memory.take(sequence.hidden.shape(), factors)),
          projected(memory.take(sequence.hidden.shape())),
          query(memory.take({batch, length, config.heads * config.dKv})),
          key(memory.take(query.shape())),
          value(memory.take(query.shape())),
          attended(memory.take(query.shape(), factors)),
          gate(memory.take({batch, length, config.dFf})),
          up(memory.take(gate.shape())) {}

    /// Memory for sequences of this shape.
    static std::size_t bytes(const Umt5Config& config, DType factors, std::int64_t batch,
                             std::int64_t length) {
        const Shape stream{batch, length, config.dModel};
        const Shape heads{batch, length, config.heads * config.dKv};
        return ScratchArena::bytesOf(stream) + ScratchArena::bytesOf(stream, factors) +
               3 * ScratchArena::bytesOf(heads) + ScratchArena::bytesOf(heads, factors) +
               2 * ScratchArena::bytesOf({batch, length, config.dFf});
    }

    Sequence& sequence;
    std::int64_t batch;
    std::int64_t length;
    Tensor normed, projected;
    Tensor query, key, value, attended;
    // f32 on a GPU as well: products of the gate leave the range of f16, in which its units may multiply.
    Tensor gate, up;
};

std::size_t Umt5Encoder::gpuBytes(const Umt5Config& config, DType stored, Arithmetic arithmetic,
                                  std::span<const std::int64_t> lengths) {
    constexpr std::int64_t f32Bytes = sizeof(float);
    const std::size_t layer = gpuLinearBytes(listParameters(config, 0), stored, arithmetic);
    if (lengths.empty())
        return layer;
    const std::int64_t longest = std::ranges::max(lengths);
    const std::int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    constexpr std::int64_t norms = 3;  // two of a layer, and the last
    // The bias of an attention goes with the call.
    const std::int64_t vectors = norms * config.dModel + config.heads * (2 * longest - 1);
    const DType factors = arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    return layer + Workspace::bytes(config, factors, 1, longest) +
           static_cast<std::size_t>(f32Bytes * (tokens * config.dModel + vectors));
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

Umt5Encoder::Umt5Encoder(const Umt5Config& config, const Checkpoint& checkpoint, Arithmetic arithmetic,
                         Memory* memory)
    : m_config(config), m_checkpoint(checkpoint), m_place{.arithmetic = arithmetic, .memory = memory} {
    prepareKernels(memory, {.heads = {{.headDim = config.dKv}}});
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

Umt5Encoder::Sequence Umt5Encoder::begin(const Umt5Input& input, const Probe& probe) const {
    const Tensor& ids = input.ids;
    const Tensor& mask = input.mask;
    if (ids.shape().rank() != 2 || (mask.elements() != 0 && mask.shape() != ids.shape()))
        throw Error(ErrorKind::Internal,
                    fmt::format("The text encoder needs ids and mask of one shape [B, L], got {} and {}",
                                ids.shape().text(), mask.shape().text()));
    const Tensor embedded = embed(ids);
    if (probe)
        probe("embed", embedded);
    Sequence sequence{
        .hidden = embedded.in(m_place.memory),
        .distanceBuckets = bucketsOfDistances(ids.extent(1), m_config.buckets, m_config.maxDistance),
        .keyMask = {},
        .bias = {}};
    sequence.bias.resize(static_cast<std::size_t>(m_config.heads) * sequence.distanceBuckets.size());
    if (mask.elements() != 0)
        sequence.keyMask = keptTokens(mask);
    return sequence;
}

void Umt5Encoder::attention(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, MatrixView(work.sequence.hidden), m_config.epsilon, MatrixView(layer.attentionNorm),
            MatrixSpan(work.normed));
    const MatrixView normed(work.normed);
    layer.query.apply(execution, normed, MatrixSpan(work.query));
    layer.key.apply(execution, normed, MatrixSpan(work.key));
    layer.value.apply(execution, normed, MatrixSpan(work.value));
    const std::vector<std::uint8_t>& keyMask = work.sequence.keyMask;
    attend(execution, densePlan(),
           {.query = asHeads(work.query, m_config.heads),
            .key = asHeads(work.key, m_config.heads),
            .value = asHeads(work.value, m_config.heads),
            .keyMask = keyMask.empty() ? nullptr : keyMask.data(),
            .keyMaskStride = work.length,
            .bias = work.sequence.bias,
            .scale = 1.0},
           asHeads(work.attended, m_config.heads));
    layer.output.apply(execution, MatrixView(work.attended), MatrixSpan(work.projected));
}

/// [heads, 2·length - 1]: what the layer adds to the scores for each distance of a key from its query.
void Umt5Encoder::fillBias(const Layer& layer, Sequence& sequence) const {
    const auto table = layer.relativeBias.data<float>();
    auto bias = sequence.bias.begin();
    for (std::int64_t head = 0; head < m_config.heads; ++head)
        for (const std::int64_t bucket : sequence.distanceBuckets)
            *bias++ = table[static_cast<std::size_t>(bucket * m_config.heads + head)];
}

void Umt5Encoder::feedForward(const Execution& execution, const Layer& layer, Workspace& work) const {
    rmsNorm(execution, MatrixView(work.sequence.hidden), m_config.epsilon, MatrixView(layer.feedForwardNorm),
            MatrixSpan(work.normed));
    const MatrixSpan gate(work.gate);
    layer.gate.apply(execution, MatrixView(work.normed), gate);
    layer.up.apply(execution, MatrixView(work.normed), MatrixSpan(work.up));
    activate(execution, geluTanh, gate);
    multiplyRows(execution, gate, MatrixView(work.up));
    layer.down.apply(execution, gate, MatrixSpan(work.projected));
}

void Umt5Encoder::runLayer(const Execution& execution, const Layer& layer, const std::string& name,
                           Workspace& work, const Probe& probe) const {
    const auto report = [&](std::string_view what, const Tensor& value) {
        if (probe)
            probe(name + std::string(what), value.host());
    };
    const MatrixSpan hidden(work.sequence.hidden);
    fillBias(layer, work.sequence);
    if (probe)
        report(".pos_bias", positionBias(work.sequence.bias, m_config.heads, work.length));
    attention(execution, layer, work);
    report(".attn", work.projected);
    addRows(execution, hidden, MatrixView(work.projected));
    feedForward(execution, layer, work);
    addRows(execution, hidden, MatrixView(work.projected));
    report(".out", work.sequence.hidden);
}

void Umt5Encoder::runLayers(const Execution& execution, std::vector<Sequence>& sequences,
                            const Probe& probe) const {
    std::size_t layerBytes = 0;
    for (std::int64_t index = 0; index < m_config.layers; ++index)
        layerBytes =
            std::max(layerBytes, streamedBytes(m_checkpoint, listParameters(m_config, index), m_place));
    std::size_t workBytes = 0;
    for (const Sequence& sequence : sequences)
        workBytes =
            std::max(workBytes, Workspace::bytes(m_config, m_place.factors(), sequence.hidden.extent(0),
                                                 sequence.hidden.extent(1)));
    ScratchArena weights = makeArena(layerBytes);
    ScratchArena scratch = makeArena(workBytes, m_place.memory);
    FiniteChecks finite(execution);
    for (std::int64_t index = 0; index < m_config.layers; ++index) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("text_encoder_block {}", index));
        const ScratchArena::Frame untilNextLayer(weights);
        const Layer layer = Layer::read(execution, m_config, m_checkpoint, index, m_place, weights);
        if (index + 1 < m_config.layers)
            prefetchTensors(m_checkpoint, listParameters(m_config, index + 1));
        const std::string name = fmt::format("block{}", index);
        const std::string place = fmt::format("text encoder block {}", index);
        for (Sequence& sequence : sequences) {
            const ScratchArena::Frame untilNextSequence(scratch);
            Workspace work(m_config, m_place.factors(), sequence, scratch);
            runLayer(execution, layer, name, work, probe);
            finite.add(sequence.hidden, place);
        }
        releaseTensors(m_checkpoint, listParameters(m_config, index));
    }
    finite.finish();
}

std::vector<Tensor> Umt5Encoder::encode(const Execution& execution, std::span<const Umt5Input> inputs,
                                        const Probe& probe) const {
    std::vector<Sequence> sequences;
    for (const Umt5Input& input : inputs)
        sequences.push_back(begin(input, probe));
    runLayers(execution, sequences, probe);
    const Tensor finalNorm = m_finalNorm.in(m_place.memory);
    std::vector<Tensor> results;
    for (const Sequence& sequence : sequences) {
        Tensor normed = Tensor::empty(sequence.hidden.shape(), DType::F32, m_place.memory);
        rmsNorm(execution, MatrixView(sequence.hidden), m_config.epsilon, MatrixView(finalNorm),
                MatrixSpan(normed));
        results.push_back(normed.host());
        if (probe)
            probe("last_hidden_state", results.back());
    }
    return results;
}

Tensor Umt5Encoder::encode(const Execution& execution, const Tensor& ids, const Tensor& mask,
                           const Probe& probe) const {
    const Umt5Input input{ids, mask};
    return encode(execution, std::span(&input, 1), probe).front();
}

Tensor maskPadding(const Tensor& hidden, const Tensor& mask) {
    const auto keyMask = mask.data<std::int64_t>();
    Tensor result = hidden.clone();
    const auto values = result.data<float>();
    const auto width = static_cast<std::size_t>(hidden.extent(2));
    if (values.size() != keyMask.size() * width)
        throw Error(ErrorKind::Internal,
                    fmt::format("A mask of shape {} does not fit hidden states of shape {}",
                                mask.shape().text(), hidden.shape().text()));
    for (std::size_t row = 0; row < keyMask.size(); ++row)
        if (keyMask[row] == 0)
            std::ranges::fill(values.subspan(row * width, width), 0.0F);
    return result;
}

}  // namespace meshreel
