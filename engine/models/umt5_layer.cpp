// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/umt5_layer.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/tensor/copy_as_f32.h"

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

bool isLinear(std::size_t parameter) {
    return parameter != AttentionNorm && parameter != RelativeBias && parameter != FeedForwardNorm;
}

/// Names in the checkpoint and shapes, in the order of Parameter.
std::vector<std::pair<std::string, Shape>> parametersOf(const Umt5Config& config, std::int64_t index) {
    const std::string attention = fmt::format("encoder.block.{}.layer.0.", index);
    const std::string feedForward = fmt::format("encoder.block.{}.layer.1.", index);
    const std::int64_t inner = config.heads * config.dKv;
    return {
        {attention + "layer_norm.weight", {config.dModel}},
        {attention + "SelfAttention.q.weight", {inner, config.dModel}},
        {attention + "SelfAttention.k.weight", {inner, config.dModel}},
        {attention + "SelfAttention.v.weight", {inner, config.dModel}},
        {attention + "SelfAttention.o.weight", {config.dModel, inner}},
        {attention + "SelfAttention.relative_attention_bias.weight", {config.buckets, config.heads}},
        {feedForward + "layer_norm.weight", {config.dModel}},
        {feedForward + "DenseReluDense.wi_0.weight", {config.dFf, config.dModel}},
        {feedForward + "DenseReluDense.wi_1.weight", {config.dFf, config.dModel}},
        {feedForward + "DenseReluDense.wo.weight", {config.dModel, config.dFf}},
    };
}

Tensor asF32(const Execution& execution, const Tensor& tensor, ScratchArena& memory) {
    if (tensor.dtype() == DType::F32)
        return tensor;
    Tensor result = memory.take(tensor.shape());
    execution.workers.parallelFor(tensor.extent(0), [&](std::int64_t begin, std::int64_t end) {
        copyAsF32(tensor.slice(begin, end), result.slice(begin, end).data<float>());
    });
    return result;
}

}  // namespace

void requireUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    for (const auto& [name, shape] : parametersOf(config, index))
        checkpoint.require(name, shape);
}

Umt5Layer readUmt5Layer(const Execution& execution, const Umt5Config& config, const Checkpoint& checkpoint,
                        std::int64_t index, Arithmetic arithmetic, ScratchArena& memory) {
    const auto parameters = parametersOf(config, index);
    const auto tensor = [&](Parameter parameter) {
        const auto& [name, shape] = parameters[parameter];
        return asF32(execution, checkpoint.get(name, shape), memory);
    };
    const auto linear = [&](Parameter parameter) {
        const auto& [name, shape] = parameters[parameter];
        return arithmetic == Arithmetic::F32
                   ? PackedMatrix::pack(tensor(parameter))
                   : PackedMatrix::pack(checkpoint.get(name, shape), nullptr, arithmetic);
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
    std::size_t bytes = 0;
    const auto parameters = parametersOf(config, index);
    for (std::size_t parameter = 0; parameter < parameters.size(); ++parameter) {
        const auto& [name, shape] = parameters[parameter];
        const bool converted = arithmetic == Arithmetic::F32 || !isLinear(parameter);
        if (converted && checkpoint.get(name, shape).dtype() != DType::F32)
            bytes += ScratchArena::bytesOf(shape);
    }
    return bytes;
}

void prefetchUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    for (const auto& [name, shape] : parametersOf(config, index))
        checkpoint.prefetch(name);
}

void releaseUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index) {
    for (const auto& [name, shape] : parametersOf(config, index))
        checkpoint.release(name);
}

}  // namespace meshreel
