// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention.h"

#include <fmt/format.h>

#include "engine/attention/attention_accumulator.h"
#include "engine/attention/context_split.h"
#include "engine/base/error.h"

namespace meshreel {

namespace {

void requireSize(std::string_view what, std::size_t found, std::int64_t expected) {
    if (found != static_cast<std::size_t>(expected))
        throw Error(ErrorKind::Internal,
                    fmt::format("Attention got {} values of {}, needs {}", found, what, expected));
}

void requireSizes(const AttentionInputs& inputs, std::span<float> out) {
    const std::int64_t width = inputs.heads * inputs.headDim;
    const std::int64_t queryValues = inputs.batch * inputs.queryLength * width;
    const std::int64_t keyValues = inputs.batch * inputs.keyLength * width;
    requireSize("query", inputs.query.size(), queryValues);
    requireSize("key", inputs.key.size(), keyValues);
    requireSize("value", inputs.value.size(), keyValues);
    requireSize("output", out.size(), queryValues);
    if (!inputs.keep.empty())
        requireSize("mask", inputs.keep.size(), inputs.batch * inputs.keyLength);
    if (!inputs.bias.empty())
        requireSize("bias", inputs.bias.size(), inputs.heads * inputs.queryLength * inputs.keyLength);
}

bool customKernel(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Custom || mode.kernel == AttentionKernel::CustomFixedM;
}

}  // namespace

void attend(const Execution& execution, const AttentionSettings& settings, const AttentionInputs& inputs,
            std::span<float> out) {
    if (settings.mode == nullptr)
        throw Error(ErrorKind::Internal, "Attention without a mode");
    requireAttentionMode(settings.mode->name);
    requireSizes(inputs, out);
    if (!inputs.bias.empty() && customKernel(*settings.mode))
        throw Error(ErrorKind::Internal, "The custom attention kernels take no bias");
    const auto tensor = [&](std::span<const float> values, std::int64_t tokens) {
        return HeadTensor{Tensor::view(values.data(), {inputs.batch, tokens, inputs.heads, inputs.headDim},
                                       DType::F32, nullptr)};
    };
    ScratchArena scratch;
    AttentionAccumulator sum(tensor(out, inputs.queryLength), 1, scratch);
    sum.add(execution, effectiveSettings(settings, inputs.queryLength, inputs.keyLength),
            {.query = tensor(inputs.query, inputs.queryLength),
             .key = tensor(inputs.key, inputs.keyLength),
             .value = tensor(inputs.value, inputs.keyLength),
             .keep = inputs.keep.empty() ? nullptr : inputs.keep.data(),
             .keepStride = inputs.keyLength,
             .bias = inputs.bias,
             .scale = inputs.scale});
}

std::string_view effectiveKernelName(const AttentionSettings& settings, std::int64_t queryLength,
                                     std::int64_t keyLength) {
    switch (effectiveSettings(settings, queryLength, keyLength).mode->kernel) {
        case AttentionKernel::DotProduct:
            return "dot_product";
        case AttentionKernel::Custom:
            return "custom";
        case AttentionKernel::CustomFixedM:
            return "custom_fixed_m";
        case AttentionKernel::Flash:
        case AttentionKernel::TransformerEngine:
            break;
    }
    return "flash";
}

}  // namespace meshreel
