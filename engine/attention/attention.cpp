// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/kernels/attention_kernel.h"

namespace meshreel {

namespace {

// Scores that the dense kernel holds at once per worker (4 MiB), which bounds its query block.
constexpr std::int64_t denseScores = std::int64_t{1} << 20;

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

bool usesFlash(const AttentionSettings& settings, std::int64_t queryLength, std::int64_t keyLength) {
    if (settings.mode->kernel != AttentionKernel::Flash)
        return false;
    return !settings.mode->minimumLength || std::min(queryLength, keyLength) >= settings.flashMinSeqLength;
}

// One block of queries of one head of one batch element.
struct WorkItem {
    std::int64_t batch;
    std::int64_t head;
    std::int64_t firstQuery;
    std::int64_t queries;
};

AttentionProblem problemOf(const AttentionInputs& inputs, const WorkItem& item) {
    const std::int64_t width = inputs.heads * inputs.headDim;
    const std::int64_t headOffset = item.head * inputs.headDim;
    const auto rowsFrom = [&](std::span<const float> values, std::int64_t row) {
        return HeadRows{values.data() + row * width + headOffset, width};
    };
    AttentionProblem problem{.queries = item.queries,
                             .keys = inputs.keyLength,
                             .headDim = inputs.headDim,
                             .q = rowsFrom(inputs.query, item.batch * inputs.queryLength + item.firstQuery),
                             .k = rowsFrom(inputs.key, item.batch * inputs.keyLength),
                             .v = rowsFrom(inputs.value, item.batch * inputs.keyLength),
                             .scale = inputs.scale};
    if (!inputs.keep.empty())
        problem.keep = inputs.keep.data() + item.batch * inputs.keyLength;
    if (!inputs.bias.empty())
        problem.bias = {
            inputs.bias.data() + (item.head * inputs.queryLength + item.firstQuery) * inputs.keyLength,
            inputs.keyLength};
    return problem;
}

}  // namespace

void attend(const Execution& execution, const AttentionSettings& settings, const AttentionInputs& inputs,
            std::span<float> out) {
    if (settings.mode == nullptr)
        throw Error(ErrorKind::Internal, "Attention without a mode");
    requireAttentionMode(settings.mode->name);
    requireSizes(inputs, out);
    const FlashBlockSizes blocks = resolveFlashBlocks(settings.blocks);
    const bool flash = usesFlash(settings, inputs.queryLength, inputs.keyLength);
    const std::int64_t denseBlock =
        std::max<std::int64_t>(1, denseScores / std::max<std::int64_t>(1, inputs.keyLength));
    const std::int64_t blockQ =
        std::min(flash ? blocks.blockQ : denseBlock, std::max<std::int64_t>(1, inputs.queryLength));
    const std::int64_t queryBlocks = (inputs.queryLength + blockQ - 1) / blockQ;
    const std::int64_t width = inputs.heads * inputs.headDim;

    const std::int64_t items = inputs.batch * inputs.heads * queryBlocks;
    execution.workers.parallelFor(items, [&](std::int64_t begin, std::int64_t end) {
        AttentionScratch scratch;
        AttentionPartial partial;
        for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t firstQuery = index % queryBlocks * blockQ;
            const WorkItem item{.batch = index / queryBlocks / inputs.heads,
                                .head = index / queryBlocks % inputs.heads,
                                .firstQuery = firstQuery,
                                .queries = std::min(blockQ, inputs.queryLength - firstQuery)};
            const AttentionProblem problem = problemOf(inputs, item);
            if (flash)
                flashAttention(problem, blocks.blockKv, blocks.blockKvCompute, scratch, partial);
            else
                dotProductAttention(problem, scratch, partial);
            finalizePartial(partial,
                            out.data() + (item.batch * inputs.queryLength + firstQuery) * width +
                                item.head * inputs.headDim,
                            width);
        }
    });
}

std::string_view effectiveKernelName(const AttentionSettings& settings, std::int64_t queryLength,
                                     std::int64_t keyLength) {
    return usesFlash(settings, queryLength, keyLength) ? "flash" : "dot_product";
}

}  // namespace meshreel
