// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/attention_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/block_sizes.h"
#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project.h"

namespace meshreel {
namespace {

constexpr std::string_view computeKey = "flash_block_sizes.block_kv_compute";
constexpr std::string_view limitKey = "flash_block_sizes.vmem_limit_bytes";

using Problems = std::vector<Problem>;
using MaybeHeads = std::optional<std::int64_t>;

std::vector<std::int64_t> listDivisors(std::int64_t number) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0)
            divisors.push_back(divisor);
    return divisors;
}

/// "1", "1 or 2", "1, 2 or 4".
Sentence findChoice(const std::vector<std::int64_t>& numbers) {
    if (numbers.size() < 2)
        return fmt::to_string(fmt::join(numbers, ""));
    const std::vector<std::int64_t> first(numbers.begin(), numbers.end() - 1);
    return sentence("{} or {}", fmt::to_string(fmt::join(first, ", ")), numbers.back());
}

Sentence headsText(std::int64_t heads, int tensorDevices) {
    return tensorDevices == 1
               ? sentence("{} heads", heads)
               : sentence("{} heads that the tensor axis of {} leaves to a device", heads, tensorDevices);
}

/// Returns them as values of a key, the nearest to `wanted` first.
std::vector<std::string> nearestFirst(std::vector<std::int64_t> numbers, std::int64_t wanted) {
    std::ranges::stable_sort(numbers, {},
                             [wanted](std::int64_t number) { return std::abs(number - wanted); });
    std::vector<std::string> texts;
    std::ranges::transform(numbers, std::back_inserter(texts),
                           [](std::int64_t number) { return fmt::to_string(number); });
    return texts;
}

/// Heads after the tensor axis; absent when not known or not dividing.
MaybeHeads dividedHeads(MaybeHeads heads, int tensorDevices, Problems& problems) {
    constexpr std::string_view key = "ici_tensor_parallelism";
    if (!heads || *heads % tensorDevices == 0)
        return heads ? MaybeHeads(*heads / tensorDevices) : std::nullopt;
    const std::vector<std::int64_t> legal = listDivisors(*heads);
    problems.push_back(
        {.id = "heads-do-not-divide-by-tensor",
         .key = std::string(key),
         .message = sentence("{} heads do not divide between {} tensor devices", *heads, tensorDevices),
         .fixes = setKey(sentence("Use a tensor axis of {}", findChoice(legal)), key,
                         nearestFirst(legal, tensorDevices))});
    return std::nullopt;
}

/// Devices of a context axis that may exchange heads: each needs one of them.
std::vector<std::int64_t> listHeadSharers(MaybeHeads heads, int contextDevices) {
    std::vector<std::int64_t> sharers = listDivisors(contextDevices);
    std::erase_if(sharers, [&](std::int64_t devices) { return heads && devices > *heads; });
    return sharers;
}

void checkUlyssesShards(const AttentionSettings& settings, MaybeHeads heads, int contextDevices,
                        int tensorDevices, Problems& problems) {
    constexpr std::string_view key = "ulysses_shards";
    const std::int64_t shards = settings.ulyssesShards;
    const std::vector<std::int64_t> legal = listHeadSharers(heads, contextDevices);
    const auto report = [&](ProblemId id, Sentence message) {
        problems.push_back({.id = id,
                            .key = std::string(key),
                            .message = std::move(message),
                            .fixes = setKey(sentence("Use ulysses_shards: {}", findChoice(legal)), key,
                                            nearestFirst(legal, shards))});
    };
    if (shards < 1)
        report("ulysses-shards-missing",
               sentence("{} needs ulysses_shards: how many of the {} context devices exchange heads",
                        settings.mode->name, contextDevices));
    else if (contextDevices % shards != 0)
        report("ulysses-shards-do-not-divide",
               sentence("ulysses_shards {} does not divide the {} devices of the context axis", shards,
                        contextDevices));
    else if (heads && *heads < shards)
        report("heads-fewer-than-devices",
               sentence("ulysses_shards {} is more than the {}", shards, headsText(*heads, tensorDevices)));
}

/// The mode with the same kernel whose heads are exchanged inside groups of devices, with a ring between
/// them.
const AttentionMode& hybridOf(const AttentionMode& mode) {
    return *std::ranges::find_if(attentionModes(), [&](const AttentionMode& other) {
        return other.hybrid() && other.rotation == Rotation::Ring && other.kernel == mode.kernel &&
               other.boundPerBlock == mode.boundPerBlock;
    });
}

/// Modes that exchange heads over the whole context axis.
void checkHeadsOverContext(const AttentionSettings& settings, MaybeHeads heads, int contextDevices,
                           int tensorDevices, Problems& problems) {
    if (!heads || contextSplit(settings, contextDevices).ulysses == 1 || *heads >= contextDevices)
        return;
    const Sentence found = headsText(*heads, tensorDevices);
    if (settings.mode->exchange == Exchange::Gather) {
        problems.push_back(
            {.id = "heads-fewer-than-devices",
             .key = "attention_sharding_uniform",
             .message = sentence("{} with attention_sharding_uniform: false needs a head for each of the {} "
                                 "devices of the context axis, and there are {}",
                                 settings.mode->name, contextDevices, found),
             .fixes = setKey(sentence("Use true, or a context axis of at most {}", *heads),
                             "attention_sharding_uniform", {"true"})});
        return;
    }
    const std::string shards = fmt::to_string(listHeadSharers(heads, contextDevices).back());
    const std::string hybrid(hybridOf(*settings.mode).name);
    problems.push_back(
        {.id = "heads-fewer-than-devices",
         .key = "attention",
         .involved = {"ulysses_shards"},
         .message =
             sentence("{} needs a head for each of the {} devices of the context axis, and there are {}",
                      settings.mode->name, contextDevices, found),
         .fixes = {{.words = sentence("Use {} with ulysses_shards: {}, a context axis of at most {}, or "
                                      "tokamax_ring, which takes any number of heads",
                                      hybrid, shards, *heads),
                    .changes = {{"attention", hybrid}, {"ulysses_shards", shards}}},
                   {.words = {}, .changes = {{"attention", "tokamax_ring"}}}}});
}

void checkSharding(const AttentionSettings& settings, MaybeHeads heads, int contextDevices, int tensorDevices,
                   Problems& problems) {
    heads = dividedHeads(heads, tensorDevices, problems);
    if (settings.mode->hybrid())
        checkUlyssesShards(settings, heads, contextDevices, tensorDevices, problems);
    else
        checkHeadsOverContext(settings, heads, contextDevices, tensorDevices, problems);
    if (contextDevices < settings.mode->minimumDevices)
        problems.push_back(
            {.id = "attention-ring-of-one-device",
             .key = "attention",
             .message = sentence("ring is ring attention between devices, and the context axis has one"),
             .fixes = setKey(sentence("Use tokamax_ring, which also runs on one device, or flash"),
                             "attention", {"tokamax_ring", "flash"})});
    if (settings.chunks < 1)
        problems.push_back(
            {.id = "chunks-impossible",
             .key = "ulysses_attention_chunks",
             .message = sentence("{} chunks of heads are impossible", settings.chunks),
             .fixes =
                 setKey(sentence("Use 1 for one exchange of all heads, more to exchange while computing"),
                        "ulysses_attention_chunks", {"1"})});
}

/// Another mode that moves data in the same way and leaves blocks out; null: there is none.
const AttentionMode* sparseTwin(const AttentionMode& mode) {
    const auto found = std::ranges::find_if(attentionModes(), [&](const AttentionMode& other) {
        return other.exchange == mode.exchange && other.rotation == mode.rotation &&
               rowOf(other.kernel).sparseOn.host;
    });
    return found == attentionModes().end() ? nullptr : &*found;
}

void checkSparse(const AttentionSettings& settings, MaybeHeads heads, int contextDevices,
                 Problems& problems) {
    constexpr std::string_view key = "sparse_attention";
    const SparseSettings& sparse = *settings.sparse;
    const AttentionMode& mode = *settings.mode;
    const std::string_view method = sparse.rule.row().name;
    if (!rowOf(mode.kernel).sparseOn.host) {
        Problem problem{
            .id = "sparse-attention-not-for-mode",
            .key = std::string(key),
            .involved = {"attention"},
            .message = sentence("{} leaves no blocks out, and sparse_attention is {}", mode.name, method),
            .fixes = {}};
        if (const AttentionMode* const twin = sparseTwin(mode))
            problem.fixes = setKey(sentence("Use attention: {}, or sparse_attention: none", twin->name),
                                   "attention", {std::string(twin->name)});
        else
            problem.fixes =
                setKey(sentence("Use sparse_attention: none"), key, {std::string(noSparseAttention)});
        problems.push_back(std::move(problem));
    }
    const bool canSplit =
        !mode.hybrid() || (settings.ulyssesShards >= 1 && contextDevices % settings.ulyssesShards == 0);
    if (!sparse.rule.row().takesRings && canSplit && contextSplit(settings, contextDevices).ring > 1) {
        const bool exchanges = !heads || *heads >= contextDevices;
        problems.push_back(
            {.id = "sparse-attention-not-for-mode",
             .key = std::string(key),
             .involved = {"attention"},
             .message = sentence("sparse_attention {} needs all keys of a head on one device, and {} spreads "
                                 "them over {}",
                                 method, mode.name, contextSplit(settings, contextDevices).ring),
             .fixes = exchanges
                          ? setKey(sentence("Use attention: ulysses, or sparse_attention: sol or radial"),
                                   "attention", {"ulysses"})
                          : setKey(sentence("Use sparse_attention: sol or radial"), key, {"sol", "radial"})});
    }
    if (sparse.start >= sparse.end)
        problems.push_back(
            {.id = "sparse-range-empty",
             .key = "sparse_end_percent",
             .involved = {"sparse_start_percent"},
             .message = sentence("Sparse attention begins at {} of the steps and ends at {}: "
                                 "there is none",
                                 sparse.start, sparse.end),
             .fixes = setKey(sentence("Write 1, or sparse_attention: none"), "sparse_end_percent", {"1"})});
}

Sentence modesWithHeadsPerTile() {
    Sentence names;
    for (const AttentionMode& mode : attentionModes())
        if (mode.headsPerTile)
            names = names.empty() ? Sentence(mode.name) : sentence("{} or {}", names, mode.name);
    return names;
}

void checkHeadsPerTile(const AttentionSettings& settings, Problems& problems) {
    constexpr std::string_view key = "flash_block_sizes.heads_per_tile";
    const std::int64_t heads = settings.blocks.headsPerTile;
    if (heads > 1 && !settings.mode->headsPerTile)
        problems.push_back(
            {.id = "heads-per-tile-unsupported",
             .key = std::string(key),
             .involved = {"attention"},
             .message = rowOf(settings.mode->kernel).boundsScores
                            ? sentence("{} works on one head at a time, because each head has a bound of its "
                                       "own, and heads_per_tile is {}",
                                       settings.mode->name, heads)
                            : sentence("{} works on one head at a time, and heads_per_tile is {}",
                                       settings.mode->name, heads),
             .fixes = setKey(sentence("Use 1, or attention: {}", modesWithHeadsPerTile()), key, {"1"})});
}

/// Of sizes that are none; the first of them.
std::optional<Problem> negativeBlock(const FlashBlockSizes& sizes) {
    for (const BlockSizeRow& row : blockSizeRows())
        if (const std::int64_t size = sizes.*row.member; size < 0)
            return Problem{.id = "block-impossible",
                           .key = std::string(row.key),
                           .message = row.impossible(size),
                           .fixes = setKey(row.legal(bestFlashBlocks(coreCaches()).*row.member), row.key,
                                           {std::to_string(row.minimum)})};
    return std::nullopt;
}

std::optional<Problem> dividingProblem(const FlashBlockSizes& resolved) {
    if (resolved.blockKv % resolved.blockKvCompute == 0)
        return std::nullopt;
    const std::int64_t nearest = nearestKvCompute(resolved.blockKv, resolved.blockKvCompute);
    return Problem{.id = "blocks-do-not-divide",
                   .key = std::string(computeKey),
                   .involved = {"flash_block_sizes.block_kv"},
                   .message = sentence("block_kv_compute {} does not divide block_kv {}",
                                       resolved.blockKvCompute, resolved.blockKv),
                   .fixes = setKey(sentence("The nearest legal value is {}", nearest), computeKey,
                                   {fmt::to_string(nearest)})};
}

std::optional<Problem> scratchProblem(const FlashBlockSizes& blocks, std::int64_t headDim) {
    const std::size_t needed = customScratchBytes(blocks, headDim);
    const auto limit = static_cast<std::size_t>(blocks.vmemLimitBytes);
    if (limit == 0 || needed <= limit)
        return std::nullopt;
    return Problem{
        .id = "scratch-limit-exceeded",
        .key = std::string(limitKey),
        .involved = {"flash_block_sizes.block_q", "flash_block_sizes.block_kv", std::string(computeKey)},
        .message =
            sentence("Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch "
                     "per worker with heads of {}, and vmem_limit_bytes is {}",
                     blocks.blockQ, blocks.blockKv, blocks.blockKvCompute, blocks.headsPerTile, needed,
                     headDim, limit),
        .fixes = byHand(sentence("Use smaller block_q, block_kv or block_kv_compute, a limit of at least "
                                 "{}, or 0 for no limit",
                                 needed))};
}

std::optional<Problem> blockProblem(const AttentionSettings& settings, std::optional<std::int64_t> headDim) {
    if (std::optional<Problem> negative = negativeBlock(settings.blocks))
        return negative;
    const FlashBlockSizes blocks = resolveFlashBlocks(settings.blocks);
    if (std::optional<Problem> uneven = dividingProblem(blocks))
        return uneven;
    return headDim && rowOf(settings.mode->kernel).isCustom ? scratchProblem(blocks, *headDim) : std::nullopt;
}

std::string runningNames() {
    std::string names;
    for (const AttentionMode& mode : attentionModes())
        if (mode.runs())
            names += (names.empty() ? "" : ", ") + std::string(mode.name);
    return names;
}

}  // namespace

const AttentionMode& requireAttentionMode(std::string_view name) {
    const AttentionMode* mode = findAttentionMode(name);
    if (mode == nullptr) {
        std::vector<std::string_view> names;
        std::ranges::transform(attentionModes(), std::back_inserter(names), &AttentionMode::name);
        const std::string_view nearest = nearestName(name, names);
        throw Error(ErrorKind::Project,
                    Problem{.id = "attention-unknown",
                            .key = "attention",
                            .message = sentence("There is no attention mode '{}'", name),
                            .fixes = nearest.empty() ? byHand(sentence("Modes that run: {}", runningNames()))
                                                     : setKey(sentence("Did you mean {}?", nearest),
                                                              "attention", {std::string(nearest)})});
    }
    if (!mode->runs())
        throw Error(ErrorKind::Project,
                    Problem{.id = "attention-not-available",
                            .key = "attention",
                            .message = sentence("The attention mode {} does not run here", name),
                            .fixes = byHand(tableText(mode->instead))});
    return *mode;
}

std::vector<Problem> attentionProblems(const AttentionSettings& settings, std::optional<std::int64_t> heads,
                                       std::optional<std::int64_t> headDim, int contextDevices,
                                       int tensorDevices) {
    if (!settings.mode->runs())
        return {{.id = "attention-not-available",
                 .key = "attention",
                 .message = sentence("The attention mode {} does not run here", settings.mode->name),
                 .fixes = byHand(tableText(settings.mode->instead))}};
    Problems problems;
    checkSharding(settings, heads, contextDevices, tensorDevices, problems);
    checkHeadsPerTile(settings, problems);
    if (settings.sparse)
        checkSparse(settings, heads ? MaybeHeads(*heads / tensorDevices) : std::nullopt, contextDevices,
                    problems);
    if (std::optional<Problem> blocks = blockProblem(settings, headDim))
        problems.push_back(*std::move(blocks));
    return problems;
}

std::int64_t nearestKvCompute(std::int64_t blockKv, std::int64_t wanted) {
    const auto distance = [wanted](std::int64_t size) { return std::abs(size - wanted); };
    std::int64_t nearest = blockKv;
    const auto consider = [&](std::int64_t divisor) {
        if (distance(divisor) < distance(nearest) ||
            (distance(divisor) == distance(nearest) && divisor > nearest))
            nearest = divisor;
    };
    for (std::int64_t divisor = 1; divisor * divisor <= blockKv; ++divisor)
        if (blockKv % divisor == 0) {
            consider(divisor);
            consider(blockKv / divisor);
        }
    return nearest;
}

void requireScratchLimit(const FlashBlockSizes& blocks, std::int64_t headDim) {
    if (std::optional<Problem> beyond = scratchProblem(blocks, headDim))
        throw Error(ErrorKind::Project, *std::move(beyond));
}

}  // namespace meshreel
