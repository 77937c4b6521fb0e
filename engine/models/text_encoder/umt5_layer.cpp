// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/text_encoder/umt5_layer.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/models/layers/streamed_tensors.h"

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
std::vector<StreamedTensor> parametersOf(const Umt5Config& config, std::int64_t index) {
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

}  // namespace

void requireUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    requireTensors(checkpoint, parametersOf(config, index));
}

Umt5Layer readUmt5Layer(const Execution& execution, const Umt5Config& config, const Checkpoint& checkpoint,
                        std::int64_t index, Arithmetic arithmetic, ScratchArena& memory) {
    const std::vector<StreamedTensor> parameters = parametersOf(config, index);
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

std::size_t umt5LayerBytes(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index,
                           Arithmetic arithmetic) {
    return streamedBytes(checkpoint, parametersOf(config, index), arithmetic);
}

void prefetchUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    prefetchTensors(checkpoint, parametersOf(config, index));
}

void releaseUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    releaseTensors(checkpoint, parametersOf(config, index));
}

}  // namespace meshreel
