// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/cases/attention_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// Elements of one operand; more could not be numbered or allocated anyway.
constexpr double maxElements = 0x1p44;

/// Threads, each with a stack; far beyond what makes sense.
constexpr int maxDevices = 1024;

using Problems = std::vector<AttentionProblemReport>;

void checkSizes(const AttentionCase& attention, Problems& problems) {
    const std::array<std::pair<std::string_view, std::int64_t>, 7> sizes{{
        {"devices", attention.devices},
        {"batch", attention.batch},
        {"heads", attention.heads},
        {"seq", attention.queryLength},
        {"kv-seq", attention.keyLength},
        {"head-dim", attention.headDim},
        {"chunks", attention.settings.chunks},
    }};
    for (const auto& [name, size] : sizes)
        if (size < 1)
            problems.push_back({.key = std::string(name),
                                .message = sentence("{} of {} is impossible", name, size),
                                .hint = sentence("Use 1 or more")});
    if (attention.devices > maxDevices)
        problems.push_back({.key = "devices",
                            .message = sentence("{} devices are too many", attention.devices),
                            .hint = sentence("Use at most {}", maxDevices)});
    const double rows = static_cast<double>(attention.batch) *
                        static_cast<double>(std::max(attention.queryLength, attention.keyLength));
    if (rows * static_cast<double>(attention.heads) * static_cast<double>(attention.headDim) > maxElements)
        problems.push_back({.key = "seq",
                            .message = sentence("A tensor of this attention would not fit any memory"),
                            .hint = sentence("Use a smaller batch, sequence, head count or head size")});
}

void checkMask(const AttentionCase& attention, Problems& problems) {
    const KeyMask& mask = attention.mask;
    const auto refuse = [&](Sentence message, Sentence hint) {
        problems.push_back({.key = "mask", .message = std::move(message), .hint = std::move(hint)});
    };
    if (mask.kind == KeyMask::Kind::Random && !(mask.probability >= 0 && mask.probability <= 1))
        refuse(sentence("A probability of {} is impossible", mask.probability), sentence("Use 0 to 1"));
    const bool counts = mask.kind == KeyMask::Kind::Tail || mask.kind == KeyMask::Kind::Head;
    if (counts && (mask.count < 0 || mask.count > attention.keyLength))
        refuse(sentence("{} of {} keys cannot be masked", mask.count, attention.keyLength),
               sentence("Use 0 to {}", attention.keyLength));
    if (mask.kind == KeyMask::Kind::Row && (mask.count < 0 || mask.count >= attention.batch))
        refuse(sentence("There is no row {} in a batch of {}", mask.count, attention.batch),
               sentence("Use 0 to {}", attention.batch - 1));
}

/// ulysses_shards means something to the hybrid modes only; elsewhere it may state what is so anyway.
void checkShards(const AttentionCase& attention, Problems& problems) {
    const AttentionMode& mode = *attention.settings.mode;
    const int shards = attention.settings.ulyssesShards;
    const int actual = mode.exchange == Exchange::Ulysses ? attention.devices : 1;
    if (!mode.hybrid && shards != -1 && shards != actual)
        problems.push_back(
            {.key = "ulysses_shards",
             .message = sentence("{} does not divide the devices by ulysses_shards, so that {} means nothing",
                                 mode.name, shards),
             .hint = sentence("Leave it out, or use one of the ulysses_ring modes")});
}

void checkNumbers(const AttentionCase& attention, Problems& problems) {
    if (attention.type != DType::F32 && attention.type != DType::BF16)
        problems.push_back({.key = "dtype",
                            .message = sentence("Attention does not run in {}", nameOf(attention.type)),
                            .hint = sentence("Use f32 or bf16")});
    if (!std::isfinite(attention.gain))
        problems.push_back({.key = "gain",
                            .message = sentence("The gain is not a number"),
                            .hint = sentence("Use a finite number, such as 6")});
}

}  // namespace

std::string AttentionCase::text() const {
    const FlashBlockSizes& blocks = settings.blocks;
    return fmt::format(
        "{}, {} devices, ulysses_shards {}, {} chunks, {}, batch {}, {} heads of {}, {} queries, {} keys, "
        "blocks {}/{}/{}/{}, {} heads per tile, mask {}, {}, gain {}, seed {}",
        settings.mode->name, devices, settings.ulyssesShards, settings.chunks,
        settings.base2 ? "base 2" : "base e", batch, heads, headDim, queryLength, keyLength, blocks.blockQ,
        blocks.blockKv, blocks.blockKvCompute, blocks.blockKvComputeIn, blocks.headsPerTile, mask.text(),
        type == DType::BF16 ? "bf16" : "f32", gain, seed);
}

std::vector<ShardRange> headRanges(const AttentionCase& attention, int device) {
    const int ulysses = attention.split().ulysses;
    const bool chunked = attention.settings.mode->chunked && ulysses > 1;
    std::vector<ShardRange> ranges;
    for (const ShardRange& chunk :
         headChunks(attention.heads, ulysses, chunked ? attention.settings.chunks : 1)) {
        const ShardRange part = shardOf(chunk.size(), ulysses, device % ulysses);
        ranges.push_back({chunk.begin + part.begin, chunk.begin + part.end});
    }
    return ranges;
}

std::vector<AttentionProblemReport> caseProblems(const AttentionCase& attention) {
    Problems problems;
    checkSizes(attention, problems);
    if (!problems.empty())
        return problems;
    checkMask(attention, problems);
    checkShards(attention, problems);
    checkNumbers(attention, problems);
    for (AttentionProblemReport& problem :
         attentionProblems(attention.settings, attention.heads, attention.headDim, attention.devices, 1))
        problems.push_back(std::move(problem));
    return problems;
}

void requireLegal(const AttentionCase& attention) {
    const Problems problems = caseProblems(attention);
    if (!problems.empty())
        throw Error(ErrorKind::Project, problems.front().message, problems.front().key,
                    problems.front().hint);
}

double allowedError(const AttentionCase& attention) {
    constexpr double f32 = 2e-5;
    constexpr double bf16 = 2e-2;
    constexpr double sharpenedBf16 = 5e-2;
    if (attention.type == DType::F32)
        return f32;
    return std::abs(attention.gain) > 1 ? sharpenedBf16 : bf16;
}

}  // namespace meshreel
